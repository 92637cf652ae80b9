/**
 * What an App Key may do. `send` also covers campaigns, tickets, the inbox, contacts and files; `orders` also covers
 * sales and quotations. No scope includes another.
 */
export const scopes = ["read", "send", "orders", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** What an App Key may do: `read`, `send` and use the inbox, change `orders`, or `admin`. None implies another. */
export const scopes = ["read", "send", "orders", "admin"] as const;
export type Scope = (typeof scopes)[number];

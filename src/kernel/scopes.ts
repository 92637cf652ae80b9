/**
 * What an App Key may do, beside its business: `read` what changes nothing, `send` messages and all of the inbox, change
 * `orders` and sales, `admin` administration and erasure. None implies another.
 */
export const scopes = ["read", "send", "orders", "admin"] as const;
export type Scope = (typeof scopes)[number];

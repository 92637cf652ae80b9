/** Orders that come from the business's own app or shop: their changes go there, by the Pusher protocol. */
export const pushedTypes = ["app", "web"] as const;

export const isPushed = (type: unknown): boolean => pushedTypes.some((pushed) => pushed === type);

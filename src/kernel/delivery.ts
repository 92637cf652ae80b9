/**
 * The states of an outgoing message. A platform's report counts only if its state comes after the message's present
 * state in this list: a late `sent` does not undo `delivered`.
 */
export const deliveryStates = ["queued", "sending", "unknown", "sent", "failed", "delivered", "read"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const reportedStates = ["sent", "failed", "delivered", "read"] as const satisfies readonly DeliveryState[];
export type ReportedState = (typeof reportedStates)[number];

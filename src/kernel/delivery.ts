/**
 * The states of an outgoing message. A state that a platform reports replaces the message's state only if it comes
 * later in this list. So a late `sent` does not undo `delivered`.
 */
export const deliveryStates = ["queued", "sending", "unknown", "sent", "failed", "delivered", "read"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const reportedStates = ["sent", "failed", "delivered", "read"] as const satisfies readonly DeliveryState[];
export type ReportedState = (typeof reportedStates)[number];

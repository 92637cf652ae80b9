/**
 * What is known of an outgoing message, in the order in which knowledge grows. A message only moves to the
 * right, in whichever order its news arrives: a late `sent` does not undo `delivered`.
 */
export const deliveryStates = ["queued", "sending", "unknown", "sent", "failed", "delivered", "read"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What platforms tell of a message. */
export const reportedStates = ["sent", "failed", "delivered", "read"] as const satisfies readonly DeliveryState[];
export type ReportedState = (typeof reportedStates)[number];

/** The recipient asked for no more messages, or for no more marketing messages. */
export const optedOutCodes: readonly number[] = [21610, 63033];

/** The recipient opted out of all messages, or of marketing messages. */
export const optedOutCodes: readonly number[] = [21610, 63033];

/** The response headers of a send, as the document describes them. */
export const messageIdHeader = { "X-Message-Id": "The platform's id of the message" } as const;

/** Names the message that was sent. An id that no header can carry is left out: the message is sent all the same. */
export const messageIdHeaders = (platformMessageId: string): Record<string, string> =>
  /^[\x21-\x7e]{1,512}$/.test(platformMessageId) ? { "X-Message-Id": platformMessageId } : {};

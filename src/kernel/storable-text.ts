/** PostgreSQL holds neither zero characters nor halves of characters. */
export const storableText = (text: string): string => text.replaceAll("\0", "").replaceAll(/\p{Cs}/gu, "\ufffd");

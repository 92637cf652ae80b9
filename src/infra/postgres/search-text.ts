/** A shorter text stands in too many names: they have to begin with it. */
const shortestPart = 3;

export interface ContactPatterns {
  /** For `like` on a phone number; null where the text is no part of one. */
  readonly phone: string | null;
  /** For `ilike` on a name. */
  readonly name: string | null;
}

/**
 * What somebody looks for who writes a part of a contact's number or name.
 *
 * @param shortest - characters from which on a part may stand anywhere; a shorter text begins a name, and is no number
 */
export function contactPatterns(text: string, shortest = shortestPart): ContactPatterns {
  const isNumber = /^[+#]?[\d\s().-]+$/.test(text) && /\d/.test(text);
  const digits = text.replaceAll(/\D/g, "");
  return {
    phone: isNumber && digits.length >= shortest ? `%${digits}%` : null,
    name: isNumber ? null : `${text.length >= shortest ? "%" : ""}${literalPattern(text)}%`,
  };
}

/** A text for `like` without wildcards. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

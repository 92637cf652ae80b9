/** A shorter text stands in too many names: they have to begin with it. */
const shortestPart = 3;

export interface ContactPatterns {
  /** For `like` on a phone number; null where the text is no part of one. */
  readonly phone: string | null;
  /** For `ilike` on a name. A text of one or two letters begins the name. */
  readonly name: string | null;
}

/** What somebody looks for who writes a part of a contact's number or name. */
export function contactPatterns(text: string): ContactPatterns {
  const isNumber = /^[+#]?[\d\s().-]+$/.test(text) && /\d/.test(text);
  const digits = text.replaceAll(/\D/g, "");
  return {
    phone: isNumber && digits.length >= shortestPart ? `%${digits}%` : null,
    name: isNumber ? null : `${text.length >= shortestPart ? "%" : ""}${literalPattern(text)}%`,
  };
}

/** A text for `like` without wildcards. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

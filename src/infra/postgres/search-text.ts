/** A shorter text stands in too many names: they have to begin with it. */
const shortestPart = 3;

export interface ContactPatterns {
  /** For `like` on a phone number; null where the text is no part of one. */
  readonly phone: string | null;
  /** For `nameHas`. */
  readonly name: string | null;
}

/**
 * What somebody looks for who writes a part of a contact's number or name.
 *
 * @param shortest - characters from which on a part may stand anywhere; a shorter text begins a name, and is no number
 */
export function contactPatterns(text: string, shortest = shortestPart): ContactPatterns {
  const isNumber = /^[+#]?[\d\s().-]+$/.test(text) && /\d/.test(text);
  const trimmed = text.trim();
  // Blanks stand in every other name.
  if (trimmed === "") return { phone: null, name: null };
  const digits = text.replaceAll(/\D/g, "");
  return {
    phone: isNumber && digits.length >= shortest ? `%${digits}%` : null,
    name: isNumber ? null : `${text.length >= shortest ? "%" : ""}${literalPattern(text)}%`,
  };
}

/**
 * The name of a row of `contacts` has the text, without regard to case and accents; an index is by the same expression.
 * No letter becomes one that has a meaning in patterns.
 */
export const nameHas = (row: string, pattern: string): string =>
  `searched_text(${row}.name) like searched_text(${pattern})`;

/** A text for `like` without wildcards. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

import type { Values } from "./values.ts";

/** A shorter text stands in too many names: they have to begin with it. */
const shortestPart = 3;

export interface ContactPatterns {
  /** Digits for `phoneHas`; null where the text is no part of a phone number. */
  readonly digits: string | null;
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
  if (trimmed === "") return { digits: null, name: null };
  const digits = text.replaceAll(/\D/g, "");
  return {
    digits: isNumber && digits.length >= shortest ? digits : null,
    name: isNumber ? null : `${text.length >= shortest ? "%" : ""}${literalPattern(text)}%`,
  };
}

/**
 * The name of a row of `contacts` has the text, without regard to case and accents; an index is by the same expression.
 * No letter becomes one that has a meaning in patterns.
 */
export const nameHas = (row: string, pattern: string): string =>
  `searched_text(${row}.name) like searched_text(${pattern})`;

/** Digits of a group in `phone_parts`. */
const groupLength = 5;

/** Fewer digits would be in too many groups, and are in so many numbers that they are soon found without an index. */
const fewestIndexed = 3;

/** Numbers differ most at their ends; the groups of a beginning, as of a country, are in all of them. */
const tellingDigits = 6;

/** The phone number of a row of `contacts` has these digits. Statements with different keys differ. */
export function phoneHas(row: string, values: Values, digits: string): { key: string; text: string } {
  const has = `${row}.phone like ${values.add(`%${digits}%`, "text")}`;
  if (digits.length < fewestIndexed) return { key: "digits", text: has };
  const parts = `phone_parts(${row}.phone)`;
  if (digits.length < groupLength) {
    const groups = values.add(groupsWith(digits), "int[]");
    return { key: "few_digits", text: `(${has} and ${parts} && ${groups})` };
  }
  const end = values.add(digits.slice(-tellingDigits), "text");
  return { key: "phone", text: `(${has} and ${parts} @> phone_parts(${end}))` };
}

/** Each group that these digits, fewer than it has, can stand in. */
function groupsWith(digits: string): number[] {
  const others = 10 ** (groupLength - digits.length);
  const groups: number[] = [];
  for (let after = 1; after <= others; after *= 10) {
    for (let other = 0; other < others; other++) {
      const before = Math.floor(other / after);
      groups.push((before * 10 ** digits.length + Number(digits)) * after + (other % after));
    }
  }
  return groups;
}

/** A text for `like` without wildcards. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

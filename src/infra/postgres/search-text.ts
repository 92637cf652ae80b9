import type { Knex } from "knex";
import { placesOf, sql } from "./dynamic-sql.ts";

/** A shorter text stands in too many names: they have to begin with it. */
const shortestPart = 3;

export interface ContactPatterns {
  /** Digits for `phoneSearch`; null where the text is no part of a phone number. */
  readonly digits: string | null;
  /** For `nameSearch`. */
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

/** A condition on rows of `contacts`. Statements with different keys differ. */
export interface ContactSearch {
  readonly key: string;
  readonly values: Readonly<Record<string, unknown>>;
  condition(): Knex.Raw;
}

const at = placesOf({ namePattern: "text", phonePattern: "text", phoneGroups: "int[]", phoneEnd: "text" });

/**
 * The name of a row of `contacts` has the text, without regard to case and accents; an index is by the same expression.
 * No letter becomes one that has a meaning in patterns. The inner select computes the pattern once, not for each row.
 */
export const nameSearch = (row: string, namePattern: string): ContactSearch => ({
  key: "name",
  values: { namePattern },
  condition: () => sql.raw(`searched_text(${row}.name) like (select searched_text(?))`, [at.namePattern]),
});

/** Digits of a group in `phone_parts`. */
const groupLength = 5;

/** Fewer digits would be in too many groups, and are in so many numbers that they are soon found without an index. */
const fewestIndexed = 3;

/** Numbers differ most at their ends; the groups of a beginning, as of a country, are in all of them. */
const tellingDigits = 6;

/** The phone number of a row of `contacts` has these digits. */
export function phoneSearch(row: string, digits: string): ContactSearch {
  const has = `${row}.phone like ?`;
  const parts = `phone_parts(${row}.phone)`;
  const phonePattern = `%${digits}%`;
  if (digits.length < fewestIndexed) {
    return { key: "digits", values: { phonePattern }, condition: () => sql.raw(has, [at.phonePattern]) };
  }
  if (digits.length < groupLength) {
    return {
      key: "few_digits",
      values: { phonePattern, phoneGroups: groupsWith(digits) },
      condition: () => sql.raw(`(${has} and ${parts} && ?)`, [at.phonePattern, at.phoneGroups]),
    };
  }
  return {
    key: "phone",
    values: { phonePattern, phoneEnd: digits.slice(-tellingDigits) },
    condition: () => sql.raw(`(${has} and ${parts} @> phone_parts(?))`, [at.phonePattern, at.phoneEnd]),
  };
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

import type { Knex } from "knex";
import { placeholders, sql } from "./dynamic-sql.ts";

/** Shorter texts match only the beginning of a name, because too many names contain them. */
const shortestPart = 3;

interface ContactPatterns {
  /** For `phoneSearch`; null if the text does not look like part of a phone number, or has too few digits. */
  readonly digits: string | null;
  readonly name: string | null;
}

/**
 * Patterns for a search text, which may be part of a contact's phone number or name.
 *
 * @param shortest - shorter texts match only the beginning of a name, and no phone number
 */
export function contactPatterns(text: string, shortest = shortestPart): ContactPatterns {
  const isNumber = /^[+#]?[\d\s().-]+$/.test(text) && /\d/.test(text);
  const trimmed = text.trim();
  // A blank text finds nothing, because most names contain blanks.
  if (trimmed === "") return { digits: null, name: null };
  const digits = text.replaceAll(/\D/g, "");
  return {
    digits: isNumber && digits.length >= shortest ? digits : null,
    name: isNumber ? null : `${text.length >= shortest ? "%" : ""}${literalPattern(text)}%`,
  };
}

/** A condition on `contacts`. The key is part of the statement's name. */
export interface ContactSearch {
  readonly key: string;
  readonly values: Readonly<Record<string, unknown>>;
  condition(): Knex.Raw;
}

const at = placeholders({ namePattern: "text", phonePattern: "text", phoneGroups: "int[]", phoneEnd: "text" });

/**
 * Finds names that match the pattern, without regard to case and accents. An index contains `searched_text(name)`.
 * `searched_text` never produces wildcards, so it may be applied to an escaped pattern. The inner select computes the
 * pattern once, not for each row.
 */
export const nameSearch = (row: string, namePattern: string): ContactSearch => ({
  key: "name",
  values: { namePattern },
  condition: () => sql.raw(`searched_text(${row}.name) like (select searched_text(?))`, [at.namePattern]),
});

/** The number of digits in each group that `phone_parts` makes. */
const groupLength = 5;

/** Fewer digits are searched without an index: so many phone numbers contain them that a scan soon finds enough. */
const fewestIndexed = 3;

/**
 * How many digits of the search text are looked up in the index. The last digits are taken, because many numbers share
 * the first ones.
 */
const tellingDigits = 6;

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

/** Escapes the wildcards of `like`. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\%_]/g, "\\$&");

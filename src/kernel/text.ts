/** The digits of a phone number; `null` if there are none. */
export function phoneDigits(written: string): string | null {
  const digits = written.replace(/\D/g, "");
  return digits === "" ? null : digits;
}

/** Finds possible phone numbers, which logs hide: seven digits or more, or a `+` and digits in groups. */
export const longNumbers = /\+\d[\d ().-]{5,}\d|\d{7,}/g;

/** The pattern is loose, because only a message to an e-mail address can prove that the address exists. */
export const emailPattern = String.raw`[^\s@]+@[^\s@]+`;

/** Removes U+0000 and replaces lone surrogates, because PostgreSQL cannot store them. */
export const storableText = (text: string): string => text.replaceAll("\0", "").replaceAll(/\p{Cs}/gu, "\ufffd");

/** Returns at most `length` UTF-16 units, without half a surrogate pair at the end. */
export const beginning = (text: string, length: number): string => text.slice(0, length).replace(/\p{Cs}$/u, "");

/** Applies `storableText` to all texts and names of a JSON value. The depth must be bounded by the caller. */
export function storableJson(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storableJson);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storableText(name), storableJson(each)]));
}

/** `Is it ready?` becomes `is_it_ready`. */
export const identifierOf = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");

/** Keeps the digits of a phone number written in any way; `null` when none is left. */
export function phoneDigits(written: string): string | null {
  const digits = written.replace(/\D/g, "");
  return digits === "" ? null : digits;
}

/** PostgreSQL holds neither zero characters nor halves of characters. */
export const storableText = (text: string): string => text.replaceAll("\0", "").replaceAll(/\p{Cs}/gu, "\ufffd");

/** A JSON value of not too many levels with `storableText` for each of its texts and names. */
export function storableJson(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storableJson);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [storableText(name), storableJson(each)]));
}

/** A name in lowercase letters, digits and underscores: `Is it ready?` is `is_it_ready`. */
export const identifierOf = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");

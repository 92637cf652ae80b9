import { storableText } from "../../kernel/text.ts";

/** A JSON object from another system. Its fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Parses a JSON object or array. Returns an empty object for any other text. */
export function parse(text: string): Fields {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}

export const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

export const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

/** The text as the database can store it; undefined for an empty text and for a value that is not a text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? storableText(value) || undefined : undefined;

import { storableText } from "../../kernel/text.ts";

/** A JSON object from another system. Its fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns an empty object for invalid JSON and for values that are neither objects nor arrays. */
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

/** The text as the database can store it; undefined for an empty text and for other values. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? storableText(value) || undefined : undefined;

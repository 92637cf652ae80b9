import { storableText } from "../../kernel/text.ts";

/** A JSON object from another system. Its fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns an empty object for anything that is not a JSON object. */
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

/** A non-empty text, as it can be stored. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? storableText(value) || undefined : undefined;

import { storableText } from "../../kernel/text.ts";

/** The fields of a JSON object from outside: any of them may be missing or of any type. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object without fields stands for everything that is no JSON object. */
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

/** A text that says something, as it can be stored; `undefined` for everything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? storableText(value) || undefined : undefined;

import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { idOf, type Schema } from "../../../infra/http/routing/schema.ts";
import { plainUrl, webUrl } from "../../../infra/http/routing/web-urls.ts";
import { maxId } from "../../../kernel/ids.ts";
import type { FieldOnWire } from "./record-on-wire.ts";

const longestName = 200;

const nameSchema = { type: "string", pattern: "\\S", maxLength: longestName } as const;

export const requiredName = (name: string): FieldOnWire<string> => ({
  name,
  schema: nameSchema,
  read: (input: string) => input.trim(),
});

export const optionalText = (name: string, maxLength = 1_000): FieldOnWire<string | null> => ({
  name,
  schema: { type: ["string", "null"], maxLength },
  fallback: null,
  // An empty text means no value.
  read: (input: string | null) => input || null,
});

export const requiredText = (name: string, maxLength: number): FieldOnWire<string> => ({
  name,
  schema: { type: "string", pattern: "\\S", maxLength },
});

/** A platform's access token. It is never shown. The pattern allows only characters that an HTTP header can contain. */
export const secretToken = (name: string): FieldOnWire<string | null> => ({
  name,
  schema: { anyOf: [{ type: "string", pattern: "^[!-~]+$", maxLength: 2_000 }, { type: "null" }] },
  fallback: null,
  writeOnly: true,
});

export const textOr = (name: string, fallback: string, maxLength: number): FieldOnWire<string> => ({
  name,
  schema: { type: "string", minLength: 1, maxLength },
  fallback,
});

export const textOrEmpty = (name: string, maxLength: number): FieldOnWire<string> => ({
  name,
  schema: { type: "string", maxLength },
  fallback: "",
});

export const optionalUrl = (name: string): FieldOnWire<string | null> => ({
  name,
  schema: { anyOf: [{ type: "string", pattern: webUrl, maxLength: 2_000 }, { type: "null" }] },
  fallback: null,
  read: (input: string | null) => input && plainUrl(input),
});

/** Major units with at most two decimals, for instance `"12.50"`. Numbers are accepted too. */
export const money = (name: string): FieldOnWire<string> => {
  const words = `${name} debe ser un texto decimal de cero o más, con dos decimales como mucho: "12.50"`;
  return {
    name,
    schema: {
      anyOf: [
        { type: "string", pattern: String.raw`^\d{1,12}(\.\d{1,2})?$` },
        { type: "number", minimum: 0, maximum: 999_999_999_999.99 },
      ],
      "x-error": { type: words, pattern: words, minimum: words, maximum: words },
      example: "12.50",
    },
    read: (input: string | number) => {
      const written = Number(input).toFixed(2);
      if (Number(written) !== Number(input)) throw new InvalidInput(words);
      return written;
    },
  };
};

export const optionalReference = (name: string, entity: string): FieldOnWire<number | null> => ({
  name,
  schema: { ...idOf(entity), type: ["integer", "null"] },
  fallback: null,
});

const mostReferences = 1_000;

/** Ids of records of the kind `entity`, sorted and without repeats. */
export const references = (name: string, entity: string): FieldOnWire<readonly number[]> => ({
  name,
  schema: { type: "array", maxItems: mostReferences, items: idOf(entity) },
  fallback: [],
  read: (input: readonly number[]) => [...new Set(input)].sort((a, b) => a - b),
});

export const flag = (name: string, fallback: boolean): FieldOnWire<boolean> => ({
  name,
  schema: { type: "boolean" },
  fallback,
});

export const optionalInteger = (name: string, maximum: number = maxId): FieldOnWire<number | null> => ({
  name,
  schema: { anyOf: [{ type: "integer", minimum: 0, maximum }, { type: "null" }] },
  fallback: null,
});

export const jsonText = (name: string): FieldOnWire<string | null> => ({
  ...optionalText(name, 20_000),
  read: (input: string | null) => {
    try {
      if (input !== null) JSON.parse(input);
      return input;
    } catch {
      throw new InvalidInput(`${name} debe ser un texto JSON`);
    }
  },
});

export const readOnly = <Value>(name: string, schema: Schema): FieldOnWire<Value> => ({ name, schema, readOnly: true });

import type { ExtendedJSONSchema, FromSchema, JSONSchema } from "json-schema-to-ts";
import { maxId } from "../../../kernel/ids.ts";

interface Extension extends Record<string, unknown> {
  /** What an id names. The isolation test puts other businesses' ids into every place that is marked so. */
  "x-entity"?: string;
  /** The endpoint's own words for a wrong value: one for each failing keyword, or one text for all but too much. */
  "x-error"?: string | Readonly<Record<string, string>>;
  /** Where the specification says "must be numeric": digits in a string count as the number they spell. */
  "x-numeric"?: boolean;
}

export type Schema = ExtendedJSONSchema<Extension>;
export type ObjectSchema = Exclude<Schema, boolean> & { readonly properties: Readonly<Record<string, Schema>> };
/** What bounds a type parameter: the compiler gives up on inferring one that `Schema` bounds. */
export interface SomeObjectSchema {
  readonly type?: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}
export type Infer<S> = S extends JSONSchema ? FromSchema<S> : undefined;

/** An id in a body: a JSON number. */
export const idOf = <const Entity extends string>(entity: Entity) =>
  ({ type: "integer", minimum: 1, maximum: maxId, "x-entity": entity }) as const;

/** An id in a path or a query, or one that "must be numeric": a string of digits will do as well. */
export const numericIdOf = <const Entity extends string>(entity: Entity) =>
  ({ ...idOf(entity), "x-numeric": true }) as const;

/** The field `phone_number`: a number as people write it, of which only the digits count. */
export const phoneNumber = {
  type: "string",
  pattern: "[0-9]",
  maxLength: 64,
  example: "+591 700-00001",
  "x-error": {
    required: "phone_number es requerido",
    type: "phone_number es requerido",
    pattern: "phone_number es requerido",
  },
} as const;

/** An object that has all of these fields. */
export const objectWith = <const Fields extends Readonly<Record<string, unknown>>>(fields: Fields) =>
  ({ type: "object", required: Object.keys(fields) as (keyof Fields & string)[], properties: fields }) as const;

export const text = { type: "string" } as const;
export const integer = { type: "integer" } as const;
export const nullableText = { type: ["string", "null"] } as const;
export const nullableInteger = { type: ["integer", "null"] } as const;
export const timestamp = { type: "string", format: "date-time" } as const;
/** A body that is one JSON string. */
export const plainString = { type: "string" } as const;
/** The body of failures that no endpoint words itself. */
export const problem = objectWith({ message: text });
/**
 * The body of a 401: worded by the key that is wrong, by the token that is (with a code where either may come), or for a
 * business without administrator.
 */
export const unauthorized = {
  oneOf: [problem, objectWith({ error: text }), plainString],
} as const satisfies Schema;
/** The body of failures that endpoints word as `coded` does. */
export const codedFailure = objectWith({ error: text, code: text });
/** The body of failures that endpoints word as `failed` does. */
export const failure = objectWith({ success: { const: false }, error: text });

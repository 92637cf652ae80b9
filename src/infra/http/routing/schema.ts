import type { ExtendedJSONSchema, FromSchema, JSONSchema } from "json-schema-to-ts";
import { maxId } from "../../../kernel/ids.ts";

interface Extension extends Record<string, unknown> {
  /** What an id names. The isolation test puts other businesses' ids into every place that is marked so. */
  "x-entity"?: string;
  /** The endpoint's own words for a wrong value: one for each failing keyword, or one text for all but too much. */
  "x-error"?: string | Readonly<Record<string, string>>;
  /** Where the specification says "must be numeric": digits in a string count as the number they spell. */
  "x-numeric"?: boolean;
  /** The name under which the documents hold the schema; see `named`. */
  "x-component"?: string;
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
/**
 * A schema that the documents hold once, under a name that clients get as a type. What is spread from it is another
 * schema, which needs a name of its own or `unnamed`: two schemas under one name are an error.
 */
export const named = <const S extends object>(name: string, schema: S): S => ({ ...schema, "x-component": name });

/** The same schema where the documents write it out. */
export const unnamed = <const S extends object>(schema: S): S => {
  const { "x-component": _, ...rest } = schema as S & { "x-component"?: string };
  return rest as unknown as S;
};

export const orNull = <const S extends object>(schema: S) => ({ anyOf: [schema, { type: "null" }] }) as const;

/** The body of failures that no endpoint words itself. */
export const problem = named("Problem", objectWith({ message: { ...text, example: "Not found" } }));
/** The body of a 401 where only an App Key will do: a sentence, alone or in an object, as the specification has it. */
export const keyRefused = named("KeyRefused", {
  anyOf: [problem, { type: "string", const: "No admin user found for this business" }],
} as const);
/** The body of a 401 where only a session token will do. */
export const tokenRefused = named("TokenRefused", objectWith({ error: { ...text, example: "Invalid token" } }));
/** The body of a 401 where an App Key or a session token will do. */
export const unauthorized = named(
  "Unauthorized",
  objectWith({
    error: { ...text, example: "Las credenciales no son válidas" },
    code: { type: "string", const: "unauthorized" },
  }),
);
/** The body of failures that endpoints word as `coded` does. The documents say which codes an answer can have. */
export const codedFailure = named("CodedFailure", objectWith({ error: text, code: text }));
/** The body of failures that endpoints word as `failed` does. */
export const failure = named("Failure", objectWith({ success: { const: false }, error: text }));

import type { ExtendedJSONSchema, FromSchema, JSONSchema } from "json-schema-to-ts";
import { maxId } from "../../../kernel/ids.ts";

interface Extension extends Record<string, unknown> {
  /** The kind of record an id names. The isolation test replaces such ids with those of other businesses. */
  "x-entity"?: string;
  /** The endpoint's own messages, by keyword. A single string serves all keywords except maxima like `maxLength`. */
  "x-error"?: string | Readonly<Record<string, string>>;
  /** Strings of digits are accepted as numbers. */
  "x-numeric"?: boolean;
  /** The schema's name in the API documents; see `named`. */
  "x-component"?: string;
}

export const extensionKeywords = ["x-entity", "x-error", "x-numeric", "x-component"] as const;

export type Schema = ExtendedJSONSchema<Extension>;
export type ObjectSchema = Exclude<Schema, boolean> & { readonly properties: Readonly<Record<string, Schema>> };
/** The bound of type parameters. `Schema` as their bound is too complex for the compiler. */
export interface SomeObjectSchema {
  readonly type?: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}
export type Infer<S> = S extends JSONSchema ? FromSchema<S> : undefined;

export const idOf = <const Entity extends string>(entity: Entity) =>
  ({ type: "integer", minimum: 1, maximum: maxId, "x-entity": entity }) as const;

/** An id that may also be a string of digits, as in a path or query. */
export const numericIdOf = <const Entity extends string>(entity: Entity) =>
  ({ ...idOf(entity), "x-numeric": true }) as const;

/** The field `phone_number`. Only its digits count. */
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

/** An object whose fields are all required. */
export const objectWith = <const Fields extends Readonly<Record<string, unknown>>>(fields: Fields) =>
  ({ type: "object", required: Object.keys(fields) as (keyof Fields & string)[], properties: fields }) as const;

/** Adds fields that may be missing. */
export const withOptional = <
  Required extends Readonly<Record<string, unknown>>,
  const Optional extends Readonly<Record<string, unknown>>,
>(
  { type, required, properties }: ReturnType<typeof objectWith<Required>>,
  optional: Optional,
) => ({ type, required, properties: { ...properties, ...optional } }) as const;

/** An object whose fields may all be missing. */
export const optionalFields = <const Fields extends Readonly<Record<string, unknown>>>(properties: Fields) =>
  ({ type: "object", properties }) as const;

export const arrayOf = <const S>(items: S) => ({ type: "array", items }) as const;

export const text = { type: "string" } as const;
export const integer = { type: "integer" } as const;
export const boolean = { type: "boolean" } as const;
export const nullableText = { type: ["string", "null"] } as const;
export const nullableInteger = { type: ["integer", "null"] } as const;
export const nullableNumber = { type: ["number", "null"] } as const;
export const timestamp = { type: "string", format: "date-time" } as const;
export const nullableTimestamp = { type: ["string", "null"], format: "date-time" } as const;

/**
 * Gives a schema a name in the API documents, where it appears once. A schema that spreads a named one needs another
 * name or `unnamed`, since two different schemas with one name are an error.
 */
export const named = <const S extends object>(name: string, schema: S): S => ({ ...schema, "x-component": name });

/** Removes the name, so that the documents inline the schema. */
export const unnamed = <const S extends object>(schema: S): S => {
  const { "x-component": _, ...rest } = schema as S & { "x-component"?: string };
  return rest as unknown as S;
};

export const orNull = <const S extends object>(schema: S) => ({ anyOf: [schema, { type: "null" }] }) as const;

/** The body of failures missing from the dialect, for routes that answer failures without codes. */
export const problem = named("Problem", objectWith({ message: { ...text, example: "Not found" } }));
/** The 401 of routes that take an App Key and answer failures without codes. */
export const keyRefused = named("KeyRefused", {
  anyOf: [problem, { type: "string", const: "No admin user found for this business" }],
} as const);
/** The 401 of routes that take only a session token and answer failures without codes. */
export const tokenRefused = named("TokenRefused", objectWith({ error: { ...text, example: "Invalid token" } }));
/** The 401 of routes that take an App Key or a session token and answer failures with codes. */
export const unauthorized = named(
  "Unauthorized",
  objectWith({
    error: { ...text, example: "Las credenciales no son válidas" },
    code: { type: "string", const: "unauthorized" },
  }),
);
/** The body of `coded`. The documents list the codes of each answer. */
export const codedFailure = named("CodedFailure", objectWith({ error: text, code: text }));
/** The body of `failed`. */
export const failure = named("Failure", objectWith({ success: { const: false }, error: text }));

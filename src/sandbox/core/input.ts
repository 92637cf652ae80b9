import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from "ajv";

/** Invalid input, such as on the control side or in the settings. The message is for the caller. */
export class BadInput extends Error {}

/**
 * Reads one value. Throws `BadInput` for an invalid value; the message refers to the value by the given name. The
 * reader may change the given object, for example to add defaults.
 */
interface Reader<Value> {
  (value: unknown, name: string): Value;
  readonly json: AnySchemaObject;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The JSON object in a text; null if the text is not a JSON object. */
export function fieldsIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const isWebAddress = (value: unknown): value is string =>
  typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const isBase64 = (value: string) => value.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(value.replace(/==?$/, ""));

const ajv = new Ajv({
  verbose: true,
  useDefaults: true,
  allowUnionTypes: true,
  formats: { web: isWebAddress, base64: isBase64 },
});
/** `must` completes the sentence "`name` must ...". */
for (const keyword of ["must", "optional"]) ajv.addKeyword(keyword);
/** Converts a valid value to the one that the reader returns. */
ajv.addKeyword({
  keyword: "becomes",
  type: ["string", "object"],
  modifying: true,
  validate(becomes: (value: unknown) => unknown, value: unknown, _?: object, at?: Place) {
    if (at) at.parentData[at.parentDataProperty] = becomes(value);
    return true;
  },
});
interface Place {
  readonly parentData: Record<string | number, unknown>;
  readonly parentDataProperty: string | number;
}

export function reader<Value>(json: AnySchemaObject): Reader<Value> {
  let validate: ValidateFunction<{ value: Value }> | undefined;
  const read = (value: unknown, name: string): Value => {
    validate ??= ajv.compile({ type: "object", properties: { value: json }, required: ["value"] });
    const given: unknown = { value };
    if (validate(given)) return given.value;
    throw new BadInput(messageOf(validate.errors?.[0] as ErrorObject, name));
  };
  return Object.assign(read, { json });
}

function messageOf({ keyword, instancePath, params, parentSchema, message }: ErrorObject, name: string): string {
  const lastOf = (path: string) =>
    path
      .replace("/value", `/${name}`)
      .replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]")
      .split("/")
      .at(-1);
  const { properties = {}, must } = parentSchema as AnySchemaObject;
  if (keyword === "additionalProperties") {
    const known = Object.keys(properties).join(", ");
    return `${lastOf(instancePath)} has no field ${params.additionalProperty}; it has ${known}`;
  }
  const { missingProperty: missing } = params;
  if (missing !== undefined) return `${lastOf(`${instancePath}/${missing}`)} must ${properties[missing].must}`;
  return `${lastOf(instancePath)} ${must ? `must ${must}` : message}`;
}

export const object = reader<Fields>({ type: "object", must: "be an object" });

export const flag = reader<boolean>({ type: "boolean", must: "be true or false" });

export const text = (max = 4096): Reader<string> =>
  reader({ type: "string", minLength: 1, maxLength: max, must: `be a text of 1 to ${max} characters` });

/** A text that matches `pattern`. `must` describes the pattern in words. */
export const textLike = (pattern: RegExp, must: string): Reader<string> =>
  reader({ type: "string", pattern: pattern.source, must });

export const integer = (minimum: number, maximum: number): Reader<number> =>
  reader({ type: "integer", minimum, maximum, must: `be a whole number from ${minimum} to ${maximum}` });

export const number = reader<number>({ type: "number", must: "be a number" });

export const degrees = (most: number): Reader<number> =>
  reader({ type: "number", minimum: -most, maximum: most, must: `be a number from -${most} to ${most}` });

export const oneOf = <Value extends string>(...values: readonly Value[]): Reader<Value> =>
  reader({ enum: values, must: `be one of ${values.join(", ")}` });

export const webAddress = reader<string>({ type: "string", format: "web", must: "be an http or https address" });

export const texts = reader<Readonly<Record<string, string>>>({
  type: "object",
  additionalProperties: { type: "string", must: "be a text" },
  must: "be an object of texts",
});

export const listOf = <Value>({ json }: Reader<Value>, maxItems: number): Reader<readonly Value[]> =>
  reader({ type: "array", items: json, maxItems, must: `be a list of at most ${maxItems}` });

export const optional = <Value>({ json }: Reader<Value>): Reader<Value | undefined> =>
  reader({ ...json, optional: true });

/** A phone number in international form; returns its digits. */
export const phoneNumber = reader<string>({
  ...textLike(/^\+?\d{8,15}$/, "be a phone number of 8 to 15 digits").json,
  becomes: dialled,
});

export type Settings<Read> = Read extends Reader<infer Value> ? Value : never;

type OptionalName<Values> = { [Name in keyof Values]: undefined extends Values[Name] ? Name : never }[keyof Values];
/** The object that a reader of `shape` returns. A field may be absent if its type includes `undefined`. */
type Given<Values> = {
  readonly [Name in Exclude<keyof Values, OptionalName<Values>>]: Values[Name];
} & { readonly [Name in OptionalName<Values>]?: Values[Name] };

/** Reads an object with these fields. Other fields are refused, so that misspelled names are noticed. */
export function shape<Values extends object>(
  readers: {
    readonly [Name in keyof Values]: Reader<Values[Name]>;
  },
): Reader<Given<Values>> {
  const fields = Object.entries<Reader<unknown>>(readers).map(([name, { json }]) => [name, json] as const);
  return reader({
    type: "object",
    properties: Object.fromEntries(fields),
    required: fields.flatMap(([name, { optional: isOptional }]) => (isOptional ? [] : name)),
    additionalProperties: false,
    must: "be an object",
  });
}

/** The 8 to 15 digits of a phone number that is written with or without `+`; `null` for any other value. */
export function dialled(written: unknown): string | null {
  return typeof written === "string" && /^\+?\d{8,15}$/.test(written) ? written.replace("+", "") : null;
}

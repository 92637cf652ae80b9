import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type CheckElements, StreamedArray, type WrongElement } from "../streaming/streamed-array.ts";
import { InvalidInput } from "./dialect.ts";
import { extensionKeywords, type Infer, type ObjectSchema, type Schema, type SomeObjectSchema } from "./schema.ts";

const ajv = new Ajv2020({
  useDefaults: true,
  allowUnionTypes: true,
  strictTuples: false,
  formats: { "date-time": true },
});
for (const keyword of [...extensionKeywords, "example"]) ajv.addKeyword(keyword);

const compiled = new Map<string, ValidateFunction>();

/** Compiles each schema once: routes share many schemas, and compiling one takes milliseconds. */
function compile(schema: object | boolean): ValidateFunction {
  const text = JSON.stringify(schema);
  let validate = compiled.get(text);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(text, validate);
  }
  return validate;
}

/**
 * Compiles a schema. The parser returns typed input, or throws `InvalidInput` about the first wrong field in the
 * schema's order.
 *
 * @param texts - true for paths and queries, where all values are strings
 * @param streamed - names of arrays that are a `StreamedArray`
 */
export function parser<const S extends SomeObjectSchema>(
  given: S,
  texts = false,
  streamed: readonly string[] = [],
): (raw: unknown) => Infer<S> {
  const schema = given as unknown as ObjectSchema;
  const isValid = compile(without(schema, streamed));
  const areValid = streamed.map((name) => [name, checkOf(schema.properties[name] ?? true)] as const);
  const reader = numberReader(schema, texts);
  let explain: ReturnType<typeof explainer> | undefined;
  return (raw) => {
    const input = reader(raw);
    const isFlawless =
      isValid(input) && areValid.every(([name, check]) => check((input as Fields)[name]) === undefined);
    if (isFlawless) return input as Infer<S>;
    // Compiled at the first wrong request: compiling the explainers of all routes would double the start time.
    explain ??= explainer(schema, texts);
    throw new InvalidInput(explain(input) ?? (isRecord(input) ? "La solicitud no es válida" : "Se espera un objeto"));
  };
}

type Fields = Readonly<Record<string, unknown>>;

type Check = (value: unknown) => WrongElement | undefined;

function without({ properties, ...schema }: ObjectSchema, names: readonly string[]): object {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
  };
}

/** The elements of a streamed array were checked when the array was made; only its length is checked here. */
function checkOf(property: Schema): Check {
  const isValid = compile(withoutDefault(property));
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = typeof property === "object" ? property : {};
  const wrongLength = (keyword: string, limit: number) => ({ keyword, instancePath: "", params: { limit } });
  return (value) => {
    if (!(value instanceof StreamedArray)) return isValid(value) ? undefined : telling(isValid.errors ?? []);
    if (value.length > maxItems) return wrongLength("maxItems", maxItems);
    if (value.length < minItems) return wrongLength("minItems", minItems);
    return value.wrong;
  };
}

/**
 * The error to report: the first one. For an `anyOf`, it is the error of the alternative with the value's type. If no
 * alternative has that type, the error names all allowed types.
 */
function telling(errors: readonly ErrorObject[]): WrongElement | undefined {
  const either = errors.at(-1);
  if (either?.keyword !== "anyOf") return errors[0];
  const wrongTypes = errors.filter(
    ({ keyword, instancePath }) => keyword === "type" && instancePath === either.instancePath,
  );
  const ofOtherType = wrongTypes.map(({ schemaPath }) => schemaPath.slice(0, -"type".length));
  const others = errors.slice(0, -1).filter(({ schemaPath }) => !ofOtherType.some((at) => schemaPath.startsWith(at)));
  if (others.length > 0) return telling(others);
  return { ...either, keyword: "type", params: { anyOf: wrongTypes.flatMap(({ params }) => params.type) } };
}

/** Checks for the elements of streamed arrays, by the arrays' names. */
export function elementChecks(schema: ObjectSchema, streamed: readonly string[]): ReadonlyMap<string, CheckElements> {
  return new Map(
    streamed.map((name) => {
      const property = schema.properties[name];
      const items = (typeof property === "object" && property.items) || {};
      const isValid = compile({ type: "array", items });
      const check: CheckElements = (elements, first) => {
        if (isValid(elements)) return undefined;
        const [error] = isValid.errors as [ErrorObject];
        return { ...error, instancePath: error.instancePath.replace(/\d+/, (place) => String(first + Number(place))) };
      };
      return [name, check];
    }),
  );
}

const isRecord = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw);

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/** Converts strings to the numbers, booleans and arrays that the schema wants. */
function numberReader(schema: ObjectSchema, texts: boolean): (raw: unknown) => unknown {
  const fields = Object.entries(schema.properties).flatMap(([name, property]) => {
    if (typeof property !== "object" || !(texts || property["x-numeric"])) return [];
    const types: readonly unknown[] = [property.type].flat();
    // A list parameter that is given only once arrives as a string.
    if (texts && types.includes("array")) return [{ name, read: (value: string): unknown => [value] }];
    const isNumber = types.includes("integer") || types.includes("number");
    // `x-numeric` marks ids, which contain only digits.
    const digits = property["x-numeric"] ? /^[0-9]{1,16}$/ : /^-?[0-9]{1,300}(\.[0-9]{1,300})?$/;
    if (isNumber) return [{ name, read: (value: string): unknown => (digits.test(value) ? Number(value) : value) }];
    return types.includes("boolean") ? [{ name, read: (value: string): unknown => booleans.get(value) ?? value }] : [];
  });
  return (raw) => {
    if (fields.length === 0 || !isRecord(raw)) return raw;
    const input = { ...raw };
    for (const { name, read } of fields) {
      const value = input[name];
      if (typeof value === "string") input[name] = read(value);
    }
    return input;
  };
}

/** Returns the message about the first missing or wrong field. */
function explainer(schema: ObjectSchema, texts: boolean): (input: unknown) => string | undefined {
  const required = new Set(schema.required ?? []);
  const checks = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    property,
    check: checkOf(property),
  }));
  const known = new Set(Object.keys(schema.properties));
  return (input) => {
    const record = isRecord(input) ? input : {};
    for (const { name, property, check } of checks) {
      const value = Object.hasOwn(record, name) ? record[name] : undefined;
      const error = value === undefined ? undefined : check(value);
      if (error || (value === undefined && required.has(name))) {
        return wording({ name, property, isRequired: required.has(name) }, value, error, texts);
      }
    }
    const unknown = schema.additionalProperties === false && Object.keys(record).find((name) => !known.has(name));
    return unknown ? `${unknown.slice(0, longestPath)} no es un campo conocido` : undefined;
  };
}

/** Ajv refuses a default at the root of a schema. */
function withoutDefault(property: Schema): object | boolean {
  if (typeof property === "boolean") return property;
  const { default: _, ...rest } = property;
  return rest;
}

interface Field {
  readonly name: string;
  readonly property: Schema;
  readonly isRequired: boolean;
}

function wording(
  { name, property, isRequired }: Field,
  value: unknown,
  error: WrongElement | undefined,
  texts: boolean,
): string {
  const keyword = error?.keyword ?? "required";
  const words = typeof property === "object" ? property["x-error"] : undefined;
  const own = typeof words === "object" ? words[keyword] : tooMuch.has(keyword) ? undefined : words;
  if (own !== undefined) return own.replace("{field}", fieldPath(name, error));
  // In a path or query, the caller sent a text. So the message does not mention a number or its limits.
  if (texts && typeof value === "number") return `${name} no es válido`;
  if (value === "" && keyword === "minLength" && !isRequired) return `${name} no puede estar vacío`;
  // The caller of a repeatable parameter wrote single values, not an array. So the message names no index.
  return `${texts ? name : fieldPath(name, error)} ${complaint(keyword, error)}`;
}

/** In characters. A path may contain keys that the caller chose, which may be long. */
const longestPath = 100;

const fieldPath = (name: string, error: WrongElement | undefined): string =>
  `${name}${(error?.instancePath ?? "").replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".")}`.slice(
    0,
    longestPath,
  );

function complaint(keyword: string, error: WrongElement | undefined): string {
  if (keyword === "required") return error ? `debe tener ${error.params.missingProperty}` : "es requerido";
  if (keyword === "type") {
    // The message names all types of an `anyOf`, but only the first type of any other schema.
    const { type, anyOf = [type].flat().slice(0, 1) } = (error?.params ?? {}) as { type?: unknown; anyOf?: unknown[] };
    const names = anyOf.filter((each) => each !== "null").map((each) => typeNames[String(each)] ?? "válido");
    return `debe ser ${[...new Set(names)].join(" o ")}`;
  }
  if (keyword === "minLength" && error?.params.limit === 1) return "es requerido";
  if (keyword === "minLength") return `debe tener al menos ${error?.params.limit} caracteres`;
  if (keyword === "enum") return "no es un valor permitido";
  if (tooMuch.has(keyword)) {
    const limit = `más de ${error?.params.limit}`;
    if (error?.propertyName !== undefined) return `no puede llamar a un campo con ${limit} caracteres`;
    return `no puede tener ${limit}${units[keyword] ?? ""}`;
  }
  return "no es válido";
}

const tooMuch = new Set(["maxItems", "maxLength", "maxProperties", "maxBytes"]);
const units: Readonly<Record<string, string>> = {
  maxLength: " caracteres",
  maxItems: " elementos",
  maxProperties: " campos",
  maxBytes: " bytes",
};

const typeNames: Record<string, string> = {
  integer: "un número",
  number: "un número",
  string: "un texto",
  array: "un arreglo",
  object: "un objeto",
  boolean: "un booleano",
};

/** Refuses U+0000, which PostgreSQL cannot store, and names the field. */
export function refuseNullCharacter(input: unknown): void {
  if (!hasNullCharacter(input)) return;
  const fields = isRecord(input) ? Object.entries(input) : [];
  const field = fields.find(([name, value]) => !name.includes("\0") && hasNullCharacter(value))?.[0];
  throw new InvalidInput(field === undefined ? "La solicitud no es válida" : `${field} no es válido`);
}

/** Recursion is safe, because the input has at most `mostLevels` levels. */
function hasNullCharacter(input: unknown): boolean {
  if (typeof input === "string") return input.includes("\0");
  if (typeof input !== "object" || input === null) return false;
  if (Array.isArray(input)) return input.some(hasNullCharacter);
  for (const name in input) {
    if (name.includes("\0") || hasNullCharacter((input as Fields)[name])) return true;
  }
  return false;
}

/** Input on the control side that cannot be used; the message tells the caller why. */
export class BadInput extends Error {}

/** Reads one value or throws `BadInput`, naming the value as `name`. */
export type Reader<Value> = (value: unknown, name: string) => Value;

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The JSON object that a text holds; null where it holds none. */
export function fieldsIn(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A reader of what `fits`; `must` says what that is, such as `be true or false`. */
export const reader =
  <Value>(must: string, fits: (value: unknown) => boolean): Reader<Value> =>
  (value, name) => {
    if (!fits(value)) throw new BadInput(`${name} must ${must}`);
    return value as Value;
  };

export const object = reader<Fields>("be an object", isObject);

export const flag = reader<boolean>("be true or false", (value) => typeof value === "boolean");

/** A text of 1 to `max` characters. */
export const text = (max = 4096): Reader<string> =>
  reader(
    `be a text of 1 to ${max} characters`,
    (value) => typeof value === "string" && value !== "" && value.length <= max,
  );

export const integer = (min: number, max: number): Reader<number> =>
  reader(
    `be a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  );

export const number = reader<number>("be a number", (value) => Number.isFinite(value));

export const oneOf = <Value extends string>(...values: readonly Value[]): Reader<Value> =>
  reader(`be one of ${values.join(", ")}`, (value) => values.some((known) => known === value));

/** An http or https address. */
export const webAddress = reader<string>(
  "be an http or https address",
  (value) => typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
);

/** Texts by name. */
export const texts = reader<Readonly<Record<string, string>>>(
  "be an object of texts",
  (value) => isObject(value) && Object.values(value).every((each) => typeof each === "string"),
);

export const listOf =
  <Value>(item: Reader<Value>, max: number): Reader<readonly Value[]> =>
  (value, name) => {
    if (!Array.isArray(value) || value.length > max) throw new BadInput(`${name} must be a list of at most ${max}`);
    return value.map((each, index) => item(each, `${name}[${index}]`));
  };

export const optional =
  <Value>(read: Reader<Value>): Reader<Value | undefined> =>
  (value, name) =>
    value === undefined ? undefined : read(value, name);

/** A phone number in international form; returns its digits. */
export const phoneNumber: Reader<string> = (value, name) => {
  const digits = typeof value === "string" ? dialled(value) : null;
  if (digits === null) throw new BadInput(`${name} must be a phone number of 8 to 15 digits`);
  return digits;
};

/** What a reader reads. */
export type Settings<Read> = Read extends Reader<infer Value> ? Value : never;

type OptionalName<Values> = { [Name in keyof Values]: undefined extends Values[Name] ? Name : never }[keyof Values];
/** As code may write it too: what may be undefined may be left out. */
type Given<Values> = {
  readonly [Name in Exclude<keyof Values, OptionalName<Values>>]: Values[Name];
} & { readonly [Name in OptionalName<Values>]?: Values[Name] };

/** An object of exactly these fields: a field that is not named here is refused, so that a misspelling shows. */
export const shape =
  <Values extends object>(readers: { readonly [Name in keyof Values]: Reader<Values[Name]> }): Reader<Given<Values>> =>
  (value, name) => {
    const fields = object(value, name);
    const unknown = Object.keys(fields).find((field) => !Object.hasOwn(readers, field));
    if (unknown !== undefined) {
      throw new BadInput(`${name} has no field ${unknown}; it has ${Object.keys(readers).join(", ")}`);
    }
    const entries = Object.entries<Reader<unknown>>(readers);
    return Object.fromEntries(entries.map(([field, read]) => [field, read(fields[field], field)])) as Given<Values>;
  };

/** The digits of a number as platforms take it, 8 to 15 of them after an optional plus; `null` when it is not one. */
export function dialled(written: string): string | null {
  return /^\+?\d{8,15}$/.test(written) ? written.replace("+", "") : null;
}

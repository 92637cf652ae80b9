import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { named, type ObjectSchema, type Schema, unnamed } from "../../../infra/http/routing/schema.ts";
import { storableJson } from "../../../kernel/text.ts";
import type { Matching, StoredRecord } from "../../domain/records.ts";

export interface FieldOnWire<Value> {
  readonly name: string;
  readonly schema: Schema;
  /** The value if the client leaves the field out. Without a fallback the field is required. */
  readonly fallback?: Value;
  /** Converts the client's value to the stored one. Throws `InvalidInput`. */
  readonly read?: (input: never) => Value;
  /** A `PUT` without this field keeps the stored value, because the fallback could give a key or a user more rights. */
  readonly keptIfLeftOut?: true;
  /** Shown, but ignored in requests. */
  readonly readOnly?: true;
  /** Accepted in requests, but never shown. */
  readonly writeOnly?: true;
  /** Converts the stored value to the one that clients see. */
  readonly write?: (value: Value) => unknown;
}

/** A resource as clients see it. */
export interface RecordOnWire<Fields extends object> {
  /** The path below `/admin/`. */
  readonly path: string;
  /** The kind of record in the schemas of its ids, such as `tag`. */
  readonly entity: string;
  /** `one` and `many` are the names in schemas and operations: `Tag` as in `createTag`, `Tags` as in `listTags`. */
  readonly one: string;
  readonly many: string;
  readonly fields: { readonly [Field in keyof Fields]-?: FieldOnWire<Fields[Field]> };
  /** Computes the fields that the client left out, from the other fields. */
  complete?(fields: Fields): Fields;
  /** Fields that only the answer to a creation has, such as a secret. */
  readonly shownOnce?: Readonly<Record<string, Schema>>;
  /** The name of the record's version, if the resource uses `version` for something else. */
  readonly counter?: string;
  /** Converts the values of `shownOnce` to those that clients see. */
  readonly shownOnceToWire?: (shownOnce: Readonly<Record<string, unknown>>) => object;
  /** How an imported row finds its record. Resources without `matching` have no import and no export. */
  readonly matching?: Matching<Fields>;
  /** The fields that a list can be filtered by; each one is stored in a column. */
  readonly filters?: readonly (keyof Fields & string)[];
  /** The fields in the list from which users of every role choose a record. The path of this list has no `/admin`. */
  readonly chosenBy?: readonly (keyof Fields & string)[];
  /** A platform confirms the input. The request fails with 502 if the platform does not answer. */
  readonly verifiedByPlatform?: true;
  /** The Spanish message for `taken`, if the field's name would not help the client. */
  readonly takenMessage?: string;
  /** Unknown fields are refused. By default they are ignored. */
  readonly closed?: true;
  /** The resource's own rules in the OpenAPI document. */
  readonly rules?: readonly string[];
}

interface AnyField extends Omit<FieldOnWire<unknown>, "read"> {
  readonly read?: (input: unknown) => unknown;
}

const fieldsOf = (resource: { readonly fields: object }) => Object.entries(resource.fields as Record<string, AnyField>);

const propertiesOf = (fields: readonly (readonly [string, AnyField])[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(fields.map(([, { name, schema }]) => [name, schema]));

/** If the schema requires a whole number, adds the Spanish message for other values. */
const withMessage = (name: string, schema: Schema): Schema => {
  if (typeof schema !== "object" || schema["x-error"] !== undefined || schema["x-entity"] !== undefined) return schema;
  const either = (schema.anyOf ?? [schema]) as readonly Schema[];
  const types = either.flatMap((each) => (typeof each === "object" ? [each.type].flat() : []));
  const isWhole = types.includes("integer") && types.every((type) => type === "integer" || type === "null");
  return isWhole ? { ...schema, "x-error": { type: `${name} debe ser un número entero` } } : schema;
};

const withMessages = (properties: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withMessage(name, schema)]));

const ignored = { readOnly: true, description: "Ignored" } as const;

/** Converts records of one resource between fields and JSON. */
export class WireCodec<Fields extends object> {
  readonly body: ObjectSchema;
  readonly answer: ObjectSchema;
  /** The answer to a creation, with the fields that only it has. */
  readonly answerToCreation: ObjectSchema;
  private readonly counter: string;
  private readonly fields: readonly (readonly [field: string, onWire: AnyField])[];

  constructor(readonly resource: RecordOnWire<Fields>) {
    this.counter = resource.counter ?? "version";
    this.fields = fieldsOf(resource);
    const properties = propertiesOf(this.readable);
    const required = this.writable.flatMap(([, onWire]) => ("fallback" in onWire ? [] : onWire.name));
    this.body = named(`${resource.one}Fields`, {
      type: "object",
      required,
      properties: {
        ...withMessages(propertiesOf(resource.closed ? this.fields : this.writable)),
        // Clients may send back the record that they read, which has these two fields.
        ...(resource.closed && { id: ignored, [this.counter]: ignored }),
      },
      ...(resource.closed && { additionalProperties: false }),
    }) as ObjectSchema;
    const id = { type: "integer", example: 7 } as const;
    const version = { type: "integer", description: "Counts the record's changes; `ETag` names it" } as const;
    this.answer = named(`${resource.one}Record`, {
      type: "object",
      required: ["id", ...Object.keys(properties), this.counter],
      properties: { id, ...properties, [this.counter]: version },
    }) as ObjectSchema;
    const { shownOnce } = resource;
    this.answerToCreation = shownOnce
      ? (named(`${resource.one}Made`, {
          ...unnamed(this.answer),
          required: [...(this.answer.required ?? []), ...Object.keys(shownOnce)],
          properties: { ...this.answer.properties, ...shownOnce },
        }) as ObjectSchema)
      : this.answer;
  }

  private get writable(): typeof this.fields {
    return this.fields.filter(([, { readOnly }]) => !readOnly);
  }

  private get readable(): typeof this.fields {
    return this.fields.filter(([, { writeOnly }]) => !writeOnly);
  }

  get filters(): Readonly<Record<string, Schema>> {
    return propertiesOf(this.filtering);
  }

  /** The fields by which the query filters the list, each with the required value. */
  filtersIn(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const asked = this.filtering.filter(([, { name }]) => query[name] !== undefined);
    return Object.fromEntries(asked.map(([field, { name }]) => [field, query[name]]));
  }

  private get filtering(): typeof this.fields {
    return this.fields.filter(([field]) => this.resource.filters?.some((name) => name === field));
  }

  /** The names of the fields that a change keeps if they are left out. */
  get kept(): readonly string[] {
    return this.writable.filter(([, { keptIfLeftOut }]) => keptIfLeftOut).map(([, { name }]) => name);
  }

  /**
   * Leaves read-only fields out. A field that the body does not have gets its fallback; in a change, a field with
   * `keptIfLeftOut` is undefined instead.
   */
  fieldsOf(body: Readonly<Record<string, unknown>>, isChange = false): Fields {
    const pairs = this.writable.map(([field, { name, read, fallback, keptIfLeftOut }]) => {
      const input = body[name];
      if (input === undefined) return [field, isChange && keptIfLeftOut ? undefined : fallback];
      const stored = storableJson(input);
      return [field, read ? read(stored) : stored];
    });
    const fields = Object.fromEntries(pairs) as Fields;
    return this.resource.complete?.(fields) ?? fields;
  }

  /** Only the fields that the body has. The read-only ones among them are undefined. */
  inputIn(body: Readonly<Record<string, unknown>>): Partial<Fields> {
    const there = this.fields.filter(([, { name }]) => body[name] !== undefined);
    const whole = this.fieldsOf(body);
    return Object.fromEntries(there.map(([field]) => [field, whole[field as keyof Fields]])) as Partial<Fields>;
  }

  /** A missing field gets the existing record's value, or else its fallback. Without both, throws `InvalidInput`. */
  merged(input: Partial<Fields>, existing: Fields | null): Fields {
    const pairs = this.writable.map(([field, onWire]) => {
      const value = input[field as keyof Fields] ?? existing?.[field as keyof Fields];
      if (value !== undefined) return [field, value];
      if (!("fallback" in onWire)) throw new InvalidInput(`${onWire.name} es requerido`);
      return [field, onWire.fallback];
    });
    const fields = Object.fromEntries(pairs) as Fields;
    return this.resource.complete?.(fields) ?? fields;
  }

  toWire({ id, version, fields, shownOnce }: StoredRecord<Fields>): object {
    const { shownOnceToWire = (values: object) => values } = this.resource;
    return { id, ...this.partOf(fields), [this.counter]: version, ...(shownOnce && shownOnceToWire(shownOnce)) };
  }

  /** The schema of a record with its id and these fields only. */
  choice(fields: readonly (keyof Fields & string)[]): ObjectSchema {
    const { id } = this.answer.properties;
    const chosen = this.readable.filter(([field]) => fields.some((name) => name === field));
    const properties = { id: id as Schema, ...propertiesOf(chosen) };
    const schema = { type: "object", required: Object.keys(properties), properties } as const;
    return named(`${this.resource.one}Choice`, schema) as ObjectSchema;
  }

  choiceToWire({ id, fields }: StoredRecord<Fields>, chosen: readonly (keyof Fields & string)[]): object {
    const part = Object.fromEntries(chosen.map((field) => [field, fields[field]])) as Partial<Fields>;
    return { id, ...this.partOf(part) };
  }

  /** Converts only the fields that are present. */
  partOf(fields: Partial<Fields>): object {
    const there = this.readable.filter(([field]) => Object.hasOwn(fields, field));
    const pairs = there.map(([field, { name, write }]) => {
      const value = fields[field as keyof Fields];
      return [name, write ? write(value) : value];
    });
    return Object.fromEntries(pairs);
  }

  wireName(field: string): string {
    return this.fields.find(([own]) => own === field)?.[1].name ?? field;
  }
}

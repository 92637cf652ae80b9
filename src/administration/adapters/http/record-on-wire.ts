import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { named, type ObjectSchema, type Schema, unnamed } from "../../../infra/http/routing/schema.ts";
import { storableJson } from "../../../kernel/text.ts";
import type { Matching, StoredRecord } from "../../domain/records.ts";

/** A field as clients spell it. */
export interface FieldOnWire<Value> {
  readonly name: string;
  readonly schema: Schema;
  /** What a record has where the field is not given; without this the field is required. */
  readonly fallback?: Value;
  /** The value of what was given, where it is not the same. */
  readonly read?: (input: never) => Value;
  /** Shown, and not taken. */
  readonly readOnly?: true;
  /** Taken, and not shown. */
  readonly writeOnly?: true;
  /** And back. */
  readonly write?: (value: Value) => unknown;
}

/** How clients know a resource. */
export interface RecordOnWire<Fields extends object> {
  /** Under `/admin/`. */
  readonly path: string;
  /** What its ids name, for schemas: `tag`. */
  readonly entity: string;
  /** `Tag`: the schema's name, and the operations' (`listTags`, `createTag`). */
  readonly one: string;
  readonly many: string;
  readonly fields: { readonly [Field in keyof Fields]-?: FieldOnWire<Fields[Field]> };
  /** Fills in what is not given and follows from what is. */
  complete?(fields: Fields): Fields;
  /** What the answer that makes a record tells besides, and no other. */
  readonly shownOnce?: Readonly<Record<string, Schema>>;
  /** What the count of a record's changes is called, where the resource has a `version` of another kind. */
  readonly counter?: string;
  /** Spells that, where it is not spelled as it is kept. */
  readonly shownOnceToWire?: (shownOnce: Readonly<Record<string, unknown>>) => object;
  /** How a row of a file is matched; without this there are no files. */
  readonly matching?: Matching<Fields>;
  /** What is given is looked at by a platform, which may not answer. */
  readonly verifiedByPlatform?: true;
  /** Fields that are not known are refused, not ignored. */
  readonly closed?: true;
  /** What its clients must know beyond what holds for every resource. */
  readonly rules?: readonly string[];
}

interface AnyField extends Omit<FieldOnWire<unknown>, "read"> {
  readonly read?: (input: unknown) => unknown;
}

const fieldsOf = (resource: { readonly fields: object }) => Object.entries(resource.fields as Record<string, AnyField>);

const propertiesOf = (fields: readonly (readonly [string, AnyField])[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(fields.map(([, { name, schema }]) => [name, schema]));

const written = (name: string, write: AnyField["write"], value: unknown) => [name, write ? write(value) : value];

const ignored = { readOnly: true, description: "Ignored" } as const;

/** Reads and writes the records of one resource. */
export class WireCodec<Fields extends object> {
  readonly body: ObjectSchema;
  readonly answer: ObjectSchema;
  /** With what no other answer tells. */
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
        ...propertiesOf(resource.closed ? this.fields : this.writable),
        // What was read may be written back as it is.
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

  /** Without those that are only read. */
  fieldsOf(body: Readonly<Record<string, unknown>>): Fields {
    const pairs = this.writable.map(([field, { name, read, fallback }]) => {
      const input = body[name];
      if (input === undefined) return [field, fallback];
      const stored = storableJson(input);
      return [field, read ? read(stored) : stored];
    });
    const fields = Object.fromEntries(pairs) as Fields;
    return this.resource.complete?.(fields) ?? fields;
  }

  /** Of what is given, without those that are only read. */
  inputIn(body: Readonly<Record<string, unknown>>): Partial<Fields> {
    const there = this.fields.filter(([, { name }]) => body[name] !== undefined);
    const whole = this.fieldsOf(body);
    return Object.fromEntries(there.map(([field]) => [field, whole[field as keyof Fields]])) as Partial<Fields>;
  }

  /** What is given, over what there is or a new record has. Throws `InvalidInput` where a field is missing. */
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
    const pairs = this.readable.map(([field, { name, write }]) => written(name, write, fields[field as keyof Fields]));
    const { shownOnceToWire = (told: object) => told } = this.resource;
    return { id, ...Object.fromEntries(pairs), [this.counter]: version, ...(shownOnce && shownOnceToWire(shownOnce)) };
  }

  /** Those of the fields that are there. */
  partOf(fields: Partial<Fields>): object {
    const there = this.readable.filter(([field]) => Object.hasOwn(fields, field));
    return Object.fromEntries(
      there.map(([field, { name, write }]) => written(name, write, fields[field as keyof Fields])),
    );
  }

  /** The spelling of a field. */
  wireName(field: string): string {
    return this.fields.find(([own]) => own === field)?.[1].name ?? field;
  }
}

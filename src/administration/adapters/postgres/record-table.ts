import { DuplicateValue, type Matching } from "../../domain/records.ts";

/** Where the records of a resource stand, and what its requests need to know. */
export interface RecordTable<Fields extends object> {
  readonly name: string;
  /** The column of each field that is one. */
  readonly columns: { readonly [Field in keyof Fields]?: string };
  /** Fields that hold ids of other records, each in a table of pairs. */
  readonly sets?: { readonly [Field in keyof Fields]?: SetTable };
  /** Columns of numeric values: read as text, so that money stays exact. */
  readonly exact?: readonly (keyof Fields)[];
  /** Columns that are arrays of the database; other lists are JSON. */
  readonly arrays?: readonly (keyof Fields)[];
  /** Columns that a search looks into; those of a row beside it with the name that it is joined under. */
  readonly searched: readonly string[];
  /** The field that a unique constraint or index is about, by its name. */
  readonly unique?: Readonly<Record<string, keyof Fields & string>>;
  /** How a row of a file is matched. */
  readonly matching?: Matching<Fields>;
  /** The column that says when a record was changed, where there is one. */
  readonly changedAt?: string;
  /** Of more than these: which rows of the table are records of the resource. */
  readonly only?: Readonly<Record<string, unknown>>;
  /** Those that are archived can be read and locked like others. */
  readonly withArchived?: true;
}

export interface SetTable {
  readonly table: string;
  /** The column with the record's own id, and the one with the other's. */
  readonly own: string;
  readonly other: string;
  /** The others' resource and the field in which they have the same pairs: a change of these is a change of both. */
  readonly mirror?: { readonly resource: string; readonly field: string };
}

const uniqueViolation = "23505";

type Field<Fields> = keyof Fields & string;

export const setsOf = <Fields extends object>({ sets }: RecordTable<Fields>) =>
  Object.entries(sets ?? {}) as [field: Field<Fields>, set: SetTable][];

/** Rejects with `DuplicateValue` where a unique constraint says so. */
export const duplicateValueIn =
  ({ unique = {} }: Pick<RecordTable<never>, "unique">) =>
  (error: unknown): never => {
    const { code, constraint } = error as { readonly code?: unknown; readonly constraint?: string };
    const field = code === uniqueViolation ? unique[String(constraint)] : undefined;
    throw field === undefined ? error : new DuplicateValue(field);
  };

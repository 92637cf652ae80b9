import { uniqueViolation } from "../../../infra/postgres/database-failure.ts";
import { snakeCase } from "../../../infra/postgres/sql-text.ts";
import { DuplicateValue } from "../../domain/records.ts";

/** The table of a resource, and what the common statements need to know about it. */
export interface RecordTable<Fields extends object> {
  readonly name: string;
  /** The column of each field that has a column. */
  readonly columns: Columns<Fields>;
  /** Fields that list ids of other records; each is stored in a table of pairs. */
  readonly sets?: { readonly [Field in keyof Fields]?: SetTable };
  /** Fields whose numeric columns are read as text, so that money stays exact. */
  readonly exact?: readonly (keyof Fields)[];
  /** Fields whose columns are PostgreSQL arrays. Lists in other columns are stored as JSON. */
  readonly arrays?: readonly (keyof Fields)[];
  /** Columns that a search looks at. A column of a joined table has the join's alias before it. */
  readonly searched: readonly string[];
  /** The field of each unique constraint or index, by the name of the constraint. */
  readonly unique?: Readonly<Record<string, keyof Fields & string>>;
  /** The column with the time of the last change, if the table has one. */
  readonly changedAt?: string;
  /** Column values that a row of the table must have to be a record of this resource. */
  readonly only?: Readonly<Record<string, unknown>>;
  /** Includes archived records in reads and locks. */
  readonly withArchived?: true;
}

type Columns<Fields> = { readonly [Field in keyof Fields]?: string };

/** The columns of fields. Each column has its field's name in snake case. */
export const columnsOf = <Fields>(...fields: readonly (keyof Fields & string)[]) =>
  Object.fromEntries(fields.map((field) => [field, snakeCase(field)])) as Columns<Fields>;

export interface SetTable {
  readonly table: string;
  /** `own` is the column with the id of the listing record. `other` is the column with the id of a listed record. */
  readonly own: string;
  readonly other: string;
  /** The resource and the field that show the same pairs from the other side. Writing either side changes both. */
  readonly mirror?: { readonly resource: string; readonly field: string };
}

type Field<Fields> = keyof Fields & string;

export const setsOf = <Fields extends object>({ sets }: RecordTable<Fields>) =>
  Object.entries(sets ?? {}) as [field: Field<Fields>, set: SetTable][];

/** Turns a violation of one of the table's unique constraints into `DuplicateValue`; throws other errors again. */
export const duplicateValueIn =
  ({ unique = {} }: Pick<RecordTable<never>, "unique">) =>
  (error: unknown): never => {
    const { code, constraint } = error as { readonly code?: unknown; readonly constraint?: string };
    const field = code === uniqueViolation ? unique[String(constraint)] : undefined;
    throw field === undefined ? error : new DuplicateValue(field);
  };

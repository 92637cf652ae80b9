import type { AuditedChange } from "../../kernel/audit.ts";
import type { LoggedEvent } from "../../kernel/events.ts";
import type { Actor, RowInput, StoredRecord } from "../domain/records.ts";

export interface ListQuery {
  /** Text that one of the searched columns must contain. */
  readonly text: string | null;
  /** Values that a record must have in these fields. */
  readonly having?: Readonly<Record<string, unknown>>;
  /** The last id of the previous page. */
  readonly after: number | null;
  readonly limit: number;
}

export interface RecordReads<Fields> {
  /** Newest first, without archived records. Returns one more than `limit` if there is a next page. */
  list(businessId: number, asked: ListQuery): Promise<readonly StoredRecord<Fields>[]>;
  find(businessId: number, id: number): Promise<StoredRecord<Fields> | null>;
}

/** What a store reports at the end of a transaction about the changes that it made. */
export interface Reporting {
  /** Audit entries for records of other resources that these changes altered. To be called after the last change. */
  relatedChanges?(businessId: number): Promise<readonly AuditEntry[]>;
  /**
   * Logs the events of the changes, which are published after the commit. To be called last in the transaction: from
   * here on all other events of the business wait for the commit.
   */
  logEvents?(businessId: number): Promise<readonly LoggedEvent[]>;
}

/** A resource with a single record for each business, such as its flags. The record's id is the business's. */
export type OneRecord<Fields> = Pick<RecordStore<Fields>, "find" | "lock" | "change"> & Reporting;

/** Writes reject with `DuplicateValue` or `UnknownReference`. */
export interface RecordStore<Fields> extends RecordReads<Fields>, Reporting {
  /** Reads the record and locks it until the transaction ends. */
  lock(businessId: number, id: number): Promise<StoredRecord<Fields> | null>;
  create(businessId: number, fields: Fields): Promise<StoredRecord<Fields>>;
  change(businessId: number, id: number, fields: Fields): Promise<StoredRecord<Fields>>;
  /** Archives the record or, if its table has no archive, deletes it. Rejects with `RecordInUse` if it is in use. */
  remove(businessId: number, id: number): Promise<void>;
}

/** A record as it will be written, and the stored one that it replaces. */
export interface Referring<Fields> {
  readonly fields: Fields;
  readonly existing: StoredRecord<Fields> | null;
}

/** Reads and writes many records in a few statements, for imports. */
export interface RecordBatches<Fields> extends Reporting {
  /** Locks and returns the matching record of each row; null for a row without one. */
  matching(businessId: number, wanted: readonly RowInput<Fields>[]): Promise<readonly (StoredRecord<Fields> | null)[]>;
  /**
   * Returns for each record the field that refers to a missing or archived record; null if no field does. References
   * that the stored record already has are accepted. The referenced records are locked against deletion and archiving.
   */
  unknownReferences(
    businessId: number,
    records: readonly Referring<Fields>[],
  ): Promise<readonly ((keyof Fields & string) | null)[]>;
  /** Returns each record as stored, or null if one of its unique values is already taken by another record. */
  createAll(businessId: number, records: readonly Fields[]): Promise<readonly (StoredRecord<Fields> | null)[]>;
  /**
   * Changes locked records and returns them in the same order. Rejects with `DuplicateValue` if one of them has a
   * unique value of another record.
   */
  changeAll(
    businessId: number,
    changes: readonly { readonly id: number; readonly fields: Fields }[],
  ): Promise<readonly StoredRecord<Fields>[]>;
}

export type AuditEntry = AuditedChange;
export type Change = AuditEntry["change"];

/** Logs `agent:changed` for each of these users. */
export type LogAgentChanges<Transaction> = (
  transaction: Transaction,
  businessId: number,
  userIds: readonly number[],
) => Promise<readonly LoggedEvent[]>;

export interface AuditLog {
  add(actor: Actor, entries: readonly AuditEntry[]): Promise<void>;
}

export interface RecordStores<Store> {
  readonly records: Store;
  readonly audit: AuditLog;
}

export interface AuditQuery {
  readonly resource: string | null;
  readonly recordId: number | null;
  readonly userId: number | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
  /** The last entry of the previous page: its `position` and its id. */
  readonly after: readonly [at: number, id: number] | null;
  readonly limit: number;
}

export interface StoredEntry extends AuditEntry {
  readonly id: number;
  readonly at: Date;
  /** `at` in microseconds since 1970, because a `Date` has only milliseconds. */
  readonly position: number;
  /** `system` is the installation itself, or its operator at the command line. */
  readonly actorKind: Actor["kind"] | "system";
  readonly actorId: number | null;
  /** The present name of the user or key. */
  readonly actorName: string | null;
  readonly address: string;
}

export interface AuditReads {
  list(businessId: number, asked: AuditQuery): Promise<readonly StoredEntry[]>;
}

import type { Audited } from "../../kernel/audit.ts";
import type { LoggedEvent } from "../../kernel/events.ts";
import type { Actor, RowInput, StoredRecord } from "../domain/records.ts";

export interface ListQuery {
  /** Part of what the resource is searched by. */
  readonly text: string | null;
  /** The id behind which the page begins. */
  readonly after: number | null;
  readonly limit: number;
}

export interface RecordReads<Fields> {
  /** The latest first, one more than asked where there are more. Archived ones are not there. */
  list(businessId: number, asked: ListQuery): Promise<readonly StoredRecord<Fields>[]>;
  find(businessId: number, id: number): Promise<StoredRecord<Fields> | null>;
}

/** The one record of its kind that a business has; its id is the business's. */
export type OneRecord<Fields> = Pick<RecordStore<Fields>, "find" | "lock" | "change" | "relatedChanges" | "logEvents">;

/** All reject with `DuplicateValue` and `UnknownReference`. */
export interface RecordStore<Fields> extends RecordReads<Fields> {
  /** As it is, and kept from changing until the transaction ends. */
  lock(businessId: number, id: number): Promise<StoredRecord<Fields> | null>;
  create(businessId: number, fields: Fields): Promise<StoredRecord<Fields>>;
  change(businessId: number, id: number, fields: Fields): Promise<StoredRecord<Fields>>;
  /** Archives it, or deletes what nothing uses. Rejects with `RecordInUse`. */
  remove(businessId: number, id: number): Promise<void>;
  /** What the audit tells of records of other resources that changed with those of this one; after the last change. */
  relatedChanges?(businessId: number): Promise<readonly AuditEntry[]>;
  /**
   * Logs what clients are to be told of the changes after the commit. The last of the transaction: from here on the
   * business's other events wait for its end.
   */
  logEvents?(businessId: number): Promise<readonly LoggedEvent[]>;
}

/** A record as it is to be, and as it is. */
export interface Referring<Fields> {
  readonly fields: Fields;
  readonly existing: StoredRecord<Fields> | null;
}

/** Many records at once. */
export interface RecordBatches<Fields> {
  /** As those of `RecordStore`. */
  relatedChanges?(businessId: number): Promise<readonly AuditEntry[]>;
  logEvents?(businessId: number): Promise<readonly LoggedEvent[]>;
  /** The records that match these, locked; at the same place. */
  matching(businessId: number, wanted: readonly RowInput<Fields>[]): Promise<readonly (StoredRecord<Fields> | null)[]>;
  /**
   * For each the field that names what does not exist, or was archived before the record named it; or null. What is named
   * is kept from being deleted and archived.
   */
  unknownReferences(
    businessId: number,
    records: readonly Referring<Fields>[],
  ): Promise<readonly ((keyof Fields & string) | null)[]>;
  /** At the same place; null for one with a value that each may have only once and another has. */
  createAll(businessId: number, records: readonly Fields[]): Promise<readonly (StoredRecord<Fields> | null)[]>;
  /** Of records that are locked, in their order. Rejects with `DuplicateValue`, of all of them. */
  changeAll(
    businessId: number,
    changes: readonly { readonly id: number; readonly fields: Fields }[],
  ): Promise<readonly StoredRecord<Fields>[]>;
}

export type AuditEntry = Audited;
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

/** Of one transaction. */
export interface RecordStores<Store> {
  readonly records: Store;
  readonly audit: AuditLog;
}

export interface AuditQuery {
  readonly resource: string | null;
  readonly recordId: number | null;
  readonly userId: number | null;
  readonly from: Date | null;
  /** Entries before this moment. */
  readonly until: Date | null;
  /** The last entry of the page before: when it was made, in microseconds, and its id. */
  readonly after: readonly [at: number, id: number] | null;
  readonly limit: number;
}

/** An entry as it is kept. */
export interface StoredEntry extends AuditEntry {
  readonly id: number;
  readonly at: Date;
  /** Microseconds: a database is finer than a `Date`. */
  readonly position: number;
  /** `system`: what the installation or its operator did by itself. */
  readonly actorKind: Actor["kind"] | "system";
  readonly actorId: number | null;
  /** What the user or key is called now. */
  readonly actorName: string | null;
  readonly address: string;
}

export interface AuditReads {
  list(businessId: number, asked: AuditQuery): Promise<readonly StoredEntry[]>;
  /** The zone that the business names. */
  timezoneOf(businessId: number): Promise<unknown>;
}

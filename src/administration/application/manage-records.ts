/**
 * How every resource of administration works. A resource is a folder in `resources/`: `record.ts` declares its fields
 * (some are declared in `domain/`), `http.ts` describes them for clients (`RecordOnWire`), and `postgres.ts` says where
 * they are stored (a `RecordTable` or a class of its own). `ResourceRules` adds the resource's own rules. Bootstrap
 * builds the routes from these files.
 *
 * A `PUT` runs through these steps:
 *
 * 1. The route validates the body and reads it into fields (`WireCodec`).
 * 2. `prepare` reads what depends on the business, and `verify` asks a platform to confirm the fields. No transaction
 *    is open yet.
 * 3. In one transaction the record is locked and its version is compared with `If-Match`; `merge` and `check` run; the
 *    record is written and audited; `relatedChanges` are audited; `logEvents` comes last.
 * 4. After the commit the events are published and `afterCommit` is called.
 *
 * A `POST` has nothing to lock. It runs `prepare`, `merge`, `check` and `verify` in this order before the transaction.
 * A `DELETE` runs none of these four. An import (`ImportRecords`) does steps 3 and 4 for many rows at once; resources
 * with `prepare`, `verify` or `merge` have no imports.
 */

import { beforeAll } from "../../kernel/errors.ts";
import type { EventFeed } from "../../kernel/events.ts";
import { isSameJson } from "../../kernel/same-json.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { type Actor, RecordMovedOn, RecordNotFound, type StoredRecord } from "../domain/records.ts";
import type { Change, ListQuery, OneRecord, RecordReads, RecordStore, RecordStores } from "./ports.ts";
import { inTransaction } from "./transactions.ts";

/** What a resource adds to the common requests. The comment at the top of this file says when each rule runs. */
export interface ResourceRules<Fields extends object> {
  /** The resource's name in the audit. */
  readonly name: string;
  /** Reads what depends on the business, such as the zone of a date that has none. */
  prepare?(businessId: number, fields: Fields): Promise<Fields>;
  /** Checks what no schema can express. Throws a `DomainError`; `before` is null for a new record. */
  check?(fields: Fields, before: Fields | null): void;
  /**
   * Asks a platform to confirm the input, outside of any transaction; `id` is null for a new record. Resolves to the
   * fields that the platform confirmed, which may include a stored token. Throws a `DomainError`.
   */
  verify?(businessId: number, fields: Fields, id: number | null): Promise<Fields>;
  /**
   * Builds the record to store from the input and the stored record, which is null for a new one. Throws `WrongField`,
   * and `RecordMovedOn` if the stored record changed while the platform was asked.
   */
  merge?(fields: Fields, before: Fields | null, verified: Fields): Fields;
  forAudit?(fields: Fields): object;
}

/**
 * Whether `If-Match` names a version from `since` to the stored `version`. These versions differ only in what a
 * platform reported. The default of `since` is `version`.
 */
export type Expected = (version: number, since?: number) => boolean;

/** `before` is null for a new record, `after` for a removed one. */
export interface CommittedChange<Fields> {
  readonly actor: Actor;
  readonly id: number;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** Reads and changes existing records. Each change is audited in the transaction that makes it. */
export class ChangeRecords<Fields extends object, Store extends OneRecord<Fields> = OneRecord<Fields>> {
  constructor(
    protected readonly rules: ResourceRules<Fields>,
    private readonly reads: Pick<RecordReads<Fields>, "find">,
    protected readonly unitOfWork: UnitOfWork<RecordStores<Store>>,
    protected readonly afterCommit: (changed: CommittedChange<Fields>) => Promise<void> = async () => {},
    private readonly feed: Pick<EventFeed, "publish"> = { publish: () => {} },
  ) {}

  async one(businessId: number, id: number): Promise<StoredRecord<Fields>> {
    return existing(await this.reads.find(businessId, id));
  }

  /**
   * Replaces all fields of the record, except those that are undefined in `input`. If no field differs, the version
   * stays as it is.
   *
   * @param isExpected - whether `If-Match` names the stored version
   */
  async change(actor: Actor, id: number, input: Fields, isExpected: Expected): Promise<StoredRecord<Fields>> {
    const { businessId } = actor;
    const fields = await this.prepared(businessId, input);
    const verified = (await this.rules.verify?.(businessId, fields, id)) ?? fields;
    const { before, after } = await this.run(actor, async (stores) => {
      const before = existing(await stores.records.lock(businessId, id));
      if (!isExpected(before.version, before.since)) throw new RecordMovedOn();
      const whole = withStored(fields, before.fields);
      const wanted = this.rules.merge?.(whole, before.fields, verified) ?? whole;
      this.rules.check?.(wanted, before.fields);
      if (isSame(before.fields, wanted)) return { before, after: before };
      const after = await stores.records.change(businessId, id, wanted);
      await this.note(stores, actor, "changed", id, before.fields, after.fields);
      return { before, after };
    });
    if (after !== before) await this.afterCommit({ actor, id, before: before.fields, after: after.fields });
    return after;
  }

  protected async prepared(businessId: number, input: Fields): Promise<Fields> {
    return (await this.rules.prepare?.(businessId, input)) ?? input;
  }

  protected run<Result>(actor: Actor, work: (stores: RecordStores<Store>) => Promise<Result>): Promise<Result> {
    return inTransaction(this.unitOfWork, this.feed, actor, work);
  }

  protected note(
    { audit }: Pick<RecordStores<Store>, "audit">,
    actor: Actor,
    change: Change,
    recordId: number,
    before: Fields | null,
    after: Fields | null,
  ): Promise<void> {
    const shown = auditedBy(this.rules);
    const entry = { resource: this.rules.name, recordId, change, before: shown(before), after: shown(after) };
    return audit.add(actor, [entry]);
  }
}

const exportedAtOnce = 1_000;

/** The requests that every resource with many records has. */
export class ManageRecords<Fields extends object> extends ChangeRecords<Fields, RecordStore<Fields>> {
  constructor(
    rules: ResourceRules<Fields>,
    private readonly stored: RecordReads<Fields>,
    unitOfWork: UnitOfWork<RecordStores<RecordStore<Fields>>>,
    afterCommit?: (changed: CommittedChange<Fields>) => Promise<void>,
    feed?: Pick<EventFeed, "publish">,
  ) {
    super(rules, stored, unitOfWork, afterCommit, feed);
  }

  list(businessId: number, asked: ListQuery): Promise<readonly StoredRecord<Fields>[]> {
    return this.stored.list(businessId, asked);
  }

  /** All records that a list would have on its pages, for an export. */
  async *all(
    businessId: number,
    asked: Pick<ListQuery, "text" | "having">,
  ): AsyncGenerator<readonly StoredRecord<Fields>[]> {
    for (let after: number | null = null, isLast = false; !isLast; ) {
      const found: readonly StoredRecord<Fields>[] = await this.stored.list(businessId, {
        ...asked,
        after,
        limit: exportedAtOnce,
      });
      const page = found.slice(0, exportedAtOnce);
      yield page;
      after = page.at(-1)?.id ?? null;
      isLast = found.length <= exportedAtOnce;
    }
  }

  async create(actor: Actor, input: Fields): Promise<StoredRecord<Fields>> {
    const created = await beforeAll(this.enter(actor, input));
    await this.afterCommit({ actor, id: created.id, before: null, after: created.fields });
    return created;
  }

  private async enter(actor: Actor, input: Fields): Promise<StoredRecord<Fields>> {
    const { businessId } = actor;
    const fields = await this.prepared(businessId, input);
    const wanted = this.rules.merge?.(fields, null, fields) ?? fields;
    this.rules.check?.(wanted, null);
    await this.rules.verify?.(businessId, wanted, null);
    return this.run(actor, async (stores) => {
      const kept = await stores.records.create(businessId, wanted);
      await this.note(stores, actor, "created", kept.id, null, kept.fields);
      return kept;
    });
  }

  async remove(actor: Actor, id: number, isExpected: Expected): Promise<void> {
    const { businessId } = actor;
    const before = await this.run(actor, async (stores) => {
      const before = existing(await stores.records.lock(businessId, id));
      if (!isExpected(before.version, before.since)) throw new RecordMovedOn();
      await stores.records.remove(businessId, id);
      await this.note(stores, actor, "removed", id, before.fields, null);
      return before;
    });
    await this.afterCommit({ actor, id, before: before.fields, after: null });
  }
}

function existing<Fields>(stored: StoredRecord<Fields> | null): StoredRecord<Fields> {
  if (!stored) throw new RecordNotFound();
  return stored;
}

function withStored<Fields extends object>(input: Fields, stored: Fields): Fields {
  const pairs = Object.entries(input).map(([field, value]) => [
    field,
    value === undefined ? stored[field as keyof Fields] : value,
  ]);
  return Object.fromEntries(pairs) as Fields;
}

/** The fields as the audit stores them: without secrets. */
export const auditedBy =
  <Fields extends object>(rules: ResourceRules<Fields>) =>
  (fields: Fields | null): object | null =>
    fields && (rules.forAudit?.(fields) ?? fields);

/** Compares only the fields of `other`, which comes from a client's input and lacks the read-only fields. */
export const isSame = <Fields extends object>(one: Fields, other: Fields): boolean =>
  Object.keys(other).every((field) => isSameJson(one[field as keyof Fields], other[field as keyof Fields]));

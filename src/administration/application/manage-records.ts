import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import { isSameJson } from "../../kernel/same-json.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { type Actor, RecordMovedOn, RecordNotFound, type StoredRecord } from "../domain/records.ts";
import type { Change, ListQuery, OneRecord, RecordReads, RecordStore, RecordStores } from "./ports.ts";

/** What a resource adds to the changes that all have in common. */
export interface ResourceRules<Fields extends object> {
  /** In the audit. */
  readonly name: string;
  /** Throws `RuleBroken` or the like for what no schema can say; `before` is null for a new record. */
  check?(fields: Fields, before: Fields | null): void;
  /**
   * Asks others whether it may be so, outside of any transaction; `id` is null for a new record. Resolves to what they were
   * asked of: `fields`, with what they keep of the record. Throws a `DomainError`.
   */
  verify?(businessId: number, fields: Fields, id: number | null): Promise<Fields>;
  /**
   * What is to be stored over what there is: null for a new one. Throws `WrongField`, and `RecordMovedOn` where others were
   * asked of what is not there any more.
   */
  merge?(fields: Fields, before: Fields | null, verified: Fields): Fields;
  /** The record as the audit keeps it: without secrets. */
  forAudit?(fields: Fields): object;
}

/** A change that was committed. */
export interface CommittedChange<Fields> {
  readonly actor: Actor;
  readonly id: number;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** Reads and changes records that are there. Each change stands in the audit, in the transaction that makes it. */
export class ChangeRecords<Fields extends object, Store extends OneRecord<Fields> = OneRecord<Fields>> {
  constructor(
    protected readonly rules: ResourceRules<Fields>,
    private readonly reads: Pick<RecordReads<Fields>, "find">,
    protected readonly unitOfWork: UnitOfWork<RecordStores<Store>>,
    /** Hears of each change once it is committed. */
    protected readonly afterCommit: (changed: CommittedChange<Fields>) => Promise<void> = async () => {},
    private readonly feed: Pick<EventFeed, "publish"> = { publish: () => {} },
  ) {}

  async one(businessId: number, id: number): Promise<StoredRecord<Fields>> {
    return there(await this.reads.find(businessId, id));
  }

  /**
   * Writes the whole record. What changes nothing leaves its version as it is.
   *
   * @param isExpected - whether the caller means this version of it
   */
  async change(
    actor: Actor,
    id: number,
    fields: Fields,
    isExpected: (version: number) => boolean,
  ): Promise<StoredRecord<Fields>> {
    const { businessId } = actor;
    const verified = (await this.rules.verify?.(businessId, fields, id)) ?? fields;
    const { before, after } = await this.run(actor, async (stores) => {
      const before = there(await stores.records.lock(businessId, id));
      if (!isExpected(before.version)) throw new RecordMovedOn();
      const wanted = this.rules.merge?.(fields, before.fields, verified) ?? fields;
      this.rules.check?.(wanted, before.fields);
      if (isSame(before.fields, wanted)) return { before, after: before };
      const after = await stores.records.change(businessId, id, wanted);
      await this.note(stores, actor, "changed", id, before.fields, after.fields);
      return { before, after };
    });
    if (after !== before) await this.afterCommit({ actor, id, before: before.fields, after: after.fields });
    return after;
  }

  /**
   * Runs `work` in one transaction, with an entry of the audit for each record of another resource that it changed, and
   * publishes the events that it logged once that is committed.
   */
  protected async run<Result>(actor: Actor, work: (stores: RecordStores<Store>) => Promise<Result>): Promise<Result> {
    const { result, events } = await this.unitOfWork.run(actor.businessId, async (stores) => {
      const result = await work(stores);
      await stores.audit.add(actor, (await stores.records.relatedChanges?.(actor.businessId)) ?? []);
      const events: readonly LoggedEvent[] = (await stores.records.logEvents?.(actor.businessId)) ?? [];
      return { result, events };
    });
    if (events.length > 0) this.feed.publish(events);
    return result;
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

/** The five requests of every resource. */
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

  /** Page by page. */
  async *all(businessId: number, text: string | null): AsyncGenerator<readonly StoredRecord<Fields>[]> {
    for (let after: number | null = null, isLast = false; !isLast; ) {
      const found: readonly StoredRecord<Fields>[] = await this.stored.list(businessId, {
        text,
        after,
        limit: exportedAtOnce,
      });
      const page = found.slice(0, exportedAtOnce);
      yield page;
      after = page.at(-1)?.id ?? null;
      isLast = found.length <= exportedAtOnce;
    }
  }

  async create(actor: Actor, fields: Fields): Promise<StoredRecord<Fields>> {
    const wanted = this.rules.merge?.(fields, null, fields) ?? fields;
    this.rules.check?.(wanted, null);
    const { businessId } = actor;
    await this.rules.verify?.(businessId, wanted, null);
    const created = await this.run(actor, async (stores) => {
      const kept = await stores.records.create(businessId, wanted);
      await this.note(stores, actor, "created", kept.id, null, kept.fields);
      return kept;
    });
    await this.afterCommit({ actor, id: created.id, before: null, after: created.fields });
    return created;
  }

  async remove(actor: Actor, id: number, isExpected: (version: number) => boolean): Promise<void> {
    const { businessId } = actor;
    const before = await this.run(actor, async (stores) => {
      const before = there(await stores.records.lock(businessId, id));
      if (!isExpected(before.version)) throw new RecordMovedOn();
      await stores.records.remove(businessId, id);
      await this.note(stores, actor, "removed", id, before.fields, null);
      return before;
    });
    await this.afterCommit({ actor, id, before: before.fields, after: null });
  }
}

function there<Fields>(kept: StoredRecord<Fields> | null): StoredRecord<Fields> {
  if (!kept) throw new RecordNotFound();
  return kept;
}

/** The record as the audit keeps it. */
export const auditedBy =
  <Fields extends object>(rules: ResourceRules<Fields>) =>
  (fields: Fields | null): object | null =>
    fields && (rules.forAudit?.(fields) ?? fields);

/** Fields hold what JSON can say. */
export const isSame = <Fields extends object>(one: Fields, other: Fields): boolean =>
  Object.keys(other).every((field) => isSameJson(one[field as keyof Fields], other[field as keyof Fields]));

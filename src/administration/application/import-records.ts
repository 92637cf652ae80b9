import { DomainError } from "../../kernel/errors.ts";
import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import type { ImportProgress, ImportRow, ImportRows, RowOutcome } from "../../kernel/row-imports.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import {
  type Actor,
  type Given,
  type Kept,
  type Matching,
  matchKeyOf,
  UnknownReference,
  ValueTaken,
} from "../domain/records.ts";
import { type Changed, isSame, type ResourceRules, shownBy } from "./manage-records.ts";
import type { RecordBatches, RecordStores } from "./ports.ts";

/**
 * The whole record: what the row says over what there is, or over what a new record has. Throws a `DomainError` where
 * something is missing or wrong.
 */
export type Complete<Fields> = (given: Partial<Fields>, existing: Fields | null) => Fields;

export type RowRefusal = DomainError;

type Outcome = RowOutcome<RowRefusal> | null;
type Stores<Fields> = RecordStores<RecordBatches<Fields>>;

interface Planned<Fields> {
  readonly at: number;
  readonly fields: Fields;
  readonly existing: Kept<Fields> | null;
}

/** Takes in the records of a file. Each change stands in the audit, in the transaction that makes it. */
export class ImportRecords<Fields extends object> {
  constructor(
    private readonly rules: ResourceRules<Fields> & { readonly matching: Matching<Fields> },
    private readonly unitOfWork: UnitOfWork<Stores<Fields>>,
    private readonly imports: Pick<ImportRows, "execute">,
    /** Hears of each change once it is committed. */
    private readonly afterwards: (changed: Changed<Fields>) => Promise<void> = async () => {},
    private readonly feed: Pick<EventFeed, "publish"> = { publish: () => {} },
  ) {}

  /** The name of the file with the rows that were refused; null where there are none. */
  execute(
    actor: Actor,
    rows: AsyncIterable<ImportRow<Given<Fields>, RowRefusal>>,
    complete: Complete<Fields>,
    lineOf: (refusal: RowRefusal, cells: readonly string[]) => string,
    header: string,
    progress: ImportProgress,
  ): Promise<string | null> {
    const keyOf = ({ fields }: Given<Fields>) => matchKeyOf(this.rules.matching, fields);
    const take = (turn: readonly Given<Fields>[]) => this.take(actor, turn, complete);
    return this.imports.execute(actor.businessId, rows, { keyOf, take, lineOf, header }, progress);
  }

  private async take(actor: Actor, rows: readonly Given<Fields>[], complete: Complete<Fields>): Promise<Outcome[]> {
    try {
      const { outcomes, changed, events } = await this.unitOfWork.run(actor.businessId, async (stores) => {
        const merged = await this.merge(actor, stores, rows, complete);
        const events: readonly LoggedEvent[] = (await stores.records.tell?.(actor.businessId)) ?? [];
        return { ...merged, events };
      });
      if (events.length > 0) this.feed.publish(events);
      for (const each of changed) await this.afterwards(each);
      return outcomes;
    } catch (error) {
      // A row has a value that is taken, or takes from the business what it cannot be without.
      if (!(error instanceof DomainError)) throw error;
      if (rows.length === 1) return [{ refusal: error }];
      // It is not known which row it is.
      const outcomes: Outcome[] = [];
      for (const row of rows) outcomes.push(...(await this.take(actor, [row], complete)));
      return outcomes;
    }
  }

  private async merge(
    actor: Actor,
    { records, audit }: Stores<Fields>,
    rows: readonly Given<Fields>[],
    complete: Complete<Fields>,
  ): Promise<{ outcomes: Outcome[]; changed: Changed<Fields>[] }> {
    const { businessId } = actor;
    const outcomes: Outcome[] = rows.map(() => null);
    const found = await records.matching(businessId, rows);
    const complaints = rows.map(({ fields }, at) => this.planned(at, fields, found[at] ?? null, complete));
    const differing: Planned<Fields>[] = [];
    for (const [at, plan] of complaints.entries()) {
      if (plan instanceof DomainError) outcomes[at] = { refusal: plan };
      else if (plan.existing && isSame(plan.existing.fields, plan.fields)) outcomes[at] = "unchanged";
      else differing.push(plan);
    }
    const unknown = await records.unknownReferences(businessId, differing);
    const plans = differing.filter(({ at }, place) => {
      const field = unknown[place];
      if (field) outcomes[at] = { refusal: new UnknownReference(field) };
      return !field;
    });
    // New ones first: a value that each may have only once may make them wait, and then no record in use is locked yet.
    const created = await this.create(businessId, records, plans, rows, outcomes);
    const changed = [...(await this.change(businessId, records, plans, outcomes)), ...created].map((each) => ({
      actor,
      ...each,
    }));
    const shown = shownBy(this.rules);
    await audit.add(
      actor,
      changed.map(({ id, before, after }) => ({
        resource: this.rules.name,
        recordId: id,
        change: before ? "changed" : "created",
        before: shown(before),
        after: shown(after),
      })),
    );
    await audit.add(actor, (await records.changedBeside?.(businessId)) ?? []);
    return { outcomes, changed };
  }

  private planned(
    at: number,
    given: Partial<Fields>,
    existing: Kept<Fields> | null,
    complete: Complete<Fields>,
  ): Planned<Fields> | DomainError {
    try {
      const fields = complete(given, existing?.fields ?? null);
      this.rules.check?.(fields, existing?.fields ?? null);
      return { at, fields, existing };
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  private async change(
    businessId: number,
    records: RecordBatches<Fields>,
    plans: readonly Planned<Fields>[],
    outcomes: Outcome[],
  ): Promise<Omit<Changed<Fields>, "actor">[]> {
    const changes = plans.flatMap(({ at, fields, existing }) => (existing ? { at, fields, existing } : []));
    const written = changes.map(({ existing, fields }) => ({ id: existing.id, fields }));
    const changed = await records.changeAll(businessId, written);
    for (const { at } of changes) outcomes[at] = "updated";
    return changes.map(({ existing }, place) => ({
      id: existing.id,
      before: existing.fields,
      after: changed[place]?.fields ?? null,
    }));
  }

  private async create(
    businessId: number,
    records: RecordBatches<Fields>,
    plans: readonly Planned<Fields>[],
    rows: readonly Given<Fields>[],
    outcomes: Outcome[],
  ): Promise<Omit<Changed<Fields>, "actor">[]> {
    const fresh = plans.filter(({ existing }) => !existing);
    const created = await records.createAll(
      businessId,
      fresh.map(({ fields }) => fields),
    );
    const taken = fresh.filter((_, place) => !created[place]);
    // One that somebody else made meanwhile is matched when it is tried again.
    const matched = await records.matching(
      businessId,
      taken.map(({ at }) => rows[at] as Given<Fields>),
    );
    for (const [place, { at }] of taken.entries()) {
      if (!matched[place]) outcomes[at] = { refusal: new ValueTaken(String(this.rules.matching.by[0])) };
    }
    return fresh.flatMap(({ at }, place) => {
      const kept = created[place];
      if (!kept) return [];
      outcomes[at] = "created";
      return { id: kept.id, before: null, after: kept.fields };
    });
  }
}

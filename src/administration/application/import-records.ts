import { DomainError } from "../../kernel/errors.ts";
import type { EventFeed } from "../../kernel/events.ts";
import type { ImportProgress, ImportRow, ImportRows, RowOutcome } from "../../kernel/row-imports.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import {
  type Actor,
  DuplicateValue,
  type Matching,
  matchKeyOf,
  type RowInput,
  type StoredRecord,
  UnknownReference,
} from "../domain/records.ts";
import { auditedBy, type CommittedChange, isSame, type ResourceRules } from "./manage-records.ts";
import type { RecordBatches, RecordStores } from "./ports.ts";
import { inTransaction } from "./transactions.ts";

/** Builds a whole record from a row's fields and the existing record or defaults. Throws a `DomainError`. */
type Complete<Fields> = (input: Partial<Fields>, existing: Fields | null) => Fields;

export type RowRefusal = DomainError;

type Outcome = RowOutcome<RowRefusal> | null;
type Stores<Fields> = RecordStores<RecordBatches<Fields>>;

interface Planned<Fields> {
  readonly at: number;
  readonly fields: Fields;
  readonly existing: StoredRecord<Fields> | null;
}

/** Creates and changes records from the rows of a file. Each change is audited in the transaction that makes it. */
export class ImportRecords<Fields extends object> {
  constructor(
    private readonly rules: ResourceRules<Fields> & { readonly matching: Matching<Fields> },
    private readonly unitOfWork: UnitOfWork<Stores<Fields>>,
    private readonly imports: Pick<ImportRows, "execute">,
    private readonly afterCommit: (changed: CommittedChange<Fields>) => Promise<void> = async () => {},
    private readonly feed: Pick<EventFeed, "publish"> = { publish: () => {} },
  ) {}

  /** Resolves to the name of the file that holds the refused rows; null if there are none. */
  execute(
    actor: Actor,
    rows: AsyncIterable<ImportRow<RowInput<Fields>, RowRefusal>>,
    complete: Complete<Fields>,
    lineOf: (refusal: RowRefusal, cells: readonly string[]) => string,
    header: string,
    progress: ImportProgress,
  ): Promise<string | null> {
    const keyOf = ({ fields }: RowInput<Fields>) => matchKeyOf(this.rules.matching, fields);
    const take = (turn: readonly RowInput<Fields>[]) => this.importBatch(actor, turn, complete);
    return this.imports.execute(actor.businessId, rows, { keyOf, take, lineOf, header }, progress);
  }

  private async importBatch(
    actor: Actor,
    rows: readonly RowInput<Fields>[],
    complete: Complete<Fields>,
  ): Promise<Outcome[]> {
    try {
      const { outcomes, changed } = await inTransaction(this.unitOfWork, this.feed, actor, (stores) =>
        this.write(actor, stores, rows, complete),
      );
      for (const each of changed) await this.afterCommit(each);
      return outcomes;
    } catch (error) {
      // A `DomainError` means that writing a row broke a rule. The transaction of all rows was rolled back.
      if (!(error instanceof DomainError)) throw error;
      if (rows.length === 1) return [{ refusal: error }];
      // The error does not say which row broke the rule, so each row gets a transaction of its own.
      const outcomes: Outcome[] = [];
      for (const row of rows) outcomes.push(...(await this.importBatch(actor, [row], complete)));
      return outcomes;
    }
  }

  private async write(
    actor: Actor,
    { records, audit }: Stores<Fields>,
    rows: readonly RowInput<Fields>[],
    complete: Complete<Fields>,
  ): Promise<{ outcomes: Outcome[]; changed: CommittedChange<Fields>[] }> {
    const { businessId } = actor;
    const outcomes: Outcome[] = rows.map(() => null);
    const found = await records.matching(businessId, rows);
    const planned = rows.map(({ fields }, at) => this.plan(at, fields, found[at] ?? null, complete));
    const differing: Planned<Fields>[] = [];
    for (const [at, plan] of planned.entries()) {
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
    // New records are written first, because an insert may wait for another transaction. If users were changed before,
    // their departments would be locked during the wait, and the inbox could not assign tickets of these departments.
    const created = await this.create(businessId, records, plans, rows, outcomes);
    const changed = [...(await this.change(businessId, records, plans, outcomes)), ...created].map((each) => ({
      actor,
      ...each,
    }));
    const shown = auditedBy(this.rules);
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
    return { outcomes, changed };
  }

  private plan(
    at: number,
    input: Partial<Fields>,
    existing: StoredRecord<Fields> | null,
    complete: Complete<Fields>,
  ): Planned<Fields> | DomainError {
    try {
      const fields = complete(input, existing?.fields ?? null);
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
  ): Promise<Omit<CommittedChange<Fields>, "actor">[]> {
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
    rows: readonly RowInput<Fields>[],
    outcomes: Outcome[],
  ): Promise<Omit<CommittedChange<Fields>, "actor">[]> {
    const fresh = plans.filter(({ existing }) => !existing);
    const created = await records.createAll(
      businessId,
      fresh.map(({ fields }) => fields),
    );
    const conflicting = fresh.filter((_, place) => !created[place]);
    // If another request has just created the row's record, the outcome stays null, and the row is tried again.
    const matched = await records.matching(
      businessId,
      conflicting.map(({ at }) => rows[at] as RowInput<Fields>),
    );
    for (const [place, { at }] of conflicting.entries()) {
      if (!matched[place]) outcomes[at] = { refusal: new DuplicateValue(String(this.rules.matching.by[0])) };
    }
    return fresh.flatMap(({ at }, place) => {
      const kept = created[place];
      if (!kept) return [];
      outcomes[at] = "created";
      return { id: kept.id, before: null, after: kept.fields };
    });
  }
}

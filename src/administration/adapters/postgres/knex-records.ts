import type { Knex } from "knex";
import type { Queries } from "../../../infra/postgres/database.ts";
import { literalPattern } from "../../../infra/postgres/search-text.ts";
import { idsIn } from "../../../kernel/ids.ts";
import type { AuditEntry, ListQuery, RecordStore, Referring } from "../../application/ports.ts";
import { RecordInUse, type StoredRecord, UnknownReference, type Use } from "../../domain/records.ts";
import { Mirrors } from "./mirrors.ts";
import { writePairs } from "./pairs.ts";
import { advisoryLock, run, sql } from "./query.ts";
import { duplicateValueIn, type RecordTable, setsOf } from "./record-table.ts";
import { archivedAt, countsOfUses, referencesOf } from "./references.ts";

export interface Row {
  readonly id: number;
  readonly record_version: number;
  readonly [field: string]: unknown;
}

/** The records of one table. Every statement is limited to one business. */
export class KnexRecords<Fields extends object> implements RecordStore<Fields> {
  private readonly mirrors: Mirrors;

  constructor(
    protected readonly queries: Queries,
    protected readonly table: RecordTable<Fields>,
  ) {
    this.mirrors = new Mirrors(queries);
  }

  async list(
    businessId: number,
    { text, having = {}, after, limit }: ListQuery,
  ): Promise<readonly StoredRecord<Fields>[]> {
    const { searched, columns } = this.table;
    const page = this.of(businessId)
      .orderBy("record.id", "desc")
      .limit(limit + 1);
    if (after !== null) page.where("record.id", "<", after);
    for (const [field, value] of Object.entries(having)) {
      page.where(`record.${columns[field as keyof Fields]}`, value as string);
    }
    if (text !== null) {
      const pattern = `%${literalPattern(text)}%`;
      page.where((any) => {
        for (const column of searched) {
          const name = column.includes(".") ? column : `record.${column}`;
          // As in the search for contacts, accents make no difference.
          any.orWhereRaw("searched_text(??) like searched_text(?)", [name, pattern]);
        }
      });
    }
    return (await run<Row>(this.queries, page)).map((row) => this.recordFrom(row));
  }

  async find(businessId: number, id: number): Promise<StoredRecord<Fields> | null> {
    const [row] = await run<Row>(this.queries, this.of(businessId).where("record.id", id));
    return row ? this.recordFrom(row) : null;
  }

  async lock(businessId: number, id: number): Promise<StoredRecord<Fields> | null> {
    await this.lockWrites(businessId);
    // This statement only locks the row. The record and its sets are read afterwards, because another transaction may
    // have changed the sets while this one waited for the lock.
    // `no key update` lets other transactions insert rows that refer to the locked row, such as tickets and
    // deliveries. A stronger lock could cause deadlocks with these transactions.
    const locked = await run<Row>(
      this.queries,
      sql(this.table.name).where({ business_id: businessId, id }).select("id").forNoKeyUpdate(),
    );
    return locked.length === 0 ? null : this.find(businessId, id);
  }

  async create(businessId: number, fields: Fields): Promise<StoredRecord<Fields>> {
    await this.lockWrites(businessId);
    await this.checkReferences(businessId, null, fields);
    return this.finished(businessId, await this.insert(businessId, fields), fields);
  }

  async change(businessId: number, id: number, fields: Fields): Promise<StoredRecord<Fields>> {
    await this.checkReferences(businessId, id, fields);
    await this.update(businessId, id, fields);
    return this.finished(businessId, id, fields);
  }

  async remove(businessId: number, id: number): Promise<void> {
    const { name } = this.table;
    const row = sql(name).where({ business_id: businessId, id });
    const archives = archivedAt(name);
    if (archives) {
      await run(this.queries, row.update({ [archives]: sql.fn.now(), record_version: sql.raw("record_version + 1") }));
      return;
    }
    // This lock waits for transactions that are adding references to the record, and prevents further references.
    await run(this.queries, sql(name).where({ business_id: businessId, id }).select("id").forUpdate());
    const uses = await this.usesOf(businessId, id);
    if (uses.length > 0) throw new RecordInUse(uses);
    await run(this.queries, row.delete());
  }

  async unknownReferences(
    businessId: number,
    records: readonly Referring<Fields>[],
  ): Promise<readonly ((keyof Fields & string) | null)[]> {
    const unknown: ((keyof Fields & string) | null)[] = records.map(() => null);
    for (const [field, table] of referencesOf(this.table)) {
      const named = records.map(({ fields }) => idsNamed(fields[field]));
      const ids = [...new Set(named.flat())];
      if (ids.length === 0) continue;
      const asked = sql(table).where("business_id", businessId).select("id").orderBy("id");
      asked.whereRaw("id = any(?)", [ids] as never);
      const archives = archivedAt(table);
      // Locks the referenced records against deletion and archiving. Waits if either is under way.
      const locked = archives ? asked.whereNull(archives).forShare() : asked.forKeyShare();
      const there = new Set((await run<{ id: number }>(this.queries, locked)).map(({ id }) => id));
      for (const [at, own] of named.entries()) {
        // A reference that the stored record already has may stay, even to an archived record.
        const before = idsNamed(records[at]?.existing?.fields[field]);
        if (!own.every((id) => there.has(id) || before.includes(id))) unknown[at] ??= field;
      }
    }
    return unknown;
  }

  async relatedChanges(businessId: number): Promise<readonly AuditEntry[]> {
    return this.mirrors.entries(businessId);
  }

  /** Makes the stored pairs of these records equal to the lists in their fields. */
  async writeSets(businessId: number, records: readonly (readonly [id: number, fields: Partial<Fields>])[]) {
    if (records.length === 0) return;
    for (const [field, set] of setsOf(this.table)) {
      const wanted = records.map(([id, fields]) => [id, idsNamed(fields[field])] as const);
      await this.mirrors.note(businessId, set, await writePairs(this.queries, businessId, set, wanted));
    }
  }

  /** The records with these ids, in the order of the ids. */
  async findAll(businessId: number, ids: readonly number[]): Promise<StoredRecord<Fields>[]> {
    if (ids.length === 0) return [];
    const asked = this.of(businessId)
      .whereRaw("record.id = any(?)", [ids] as never)
      .orderBy("record.id");
    return (await run<Row>(this.queries, asked)).map((row) => this.recordFrom(row));
  }

  /** The records with these ids, in the order of this list. */
  protected async inOrder(businessId: number, ids: readonly number[]): Promise<StoredRecord<Fields>[]> {
    const byId = new Map((await this.findAll(businessId, ids)).map((each) => [each.id, each]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Selects all columns and sets of the business's records. */
  protected of(businessId: number): Knex.QueryBuilder {
    const { name, columns, exact = [], only = {} } = this.table;
    const archives = this.table.withArchived ? undefined : archivedAt(name);
    const plain = Object.entries(columns as Readonly<Record<string, string>>).map(([field, column]) =>
      exact.includes(field as keyof Fields)
        ? sql.raw("record.??::text as ??", [column, field])
        : sql.raw("record.?? as ??", [column, field]),
    );
    const gathered = setsOf(this.table).map(([field, { table, own, other }]) =>
      sql.raw(
        `array(select pair.?? from ?? as pair
               where pair.business_id = record.business_id and pair.?? = record.id order by 1) as ??`,
        [other, table, own, field],
      ),
    );
    const query = sql({ record: name })
      .where("record.business_id", businessId)
      .select("record.id", "record.record_version", ...plain, ...gathered);
    for (const [column, value] of Object.entries(only)) query.where(`record.${column}`, value as string);
    return archives ? query.whereNull(`record.${archives}`) : query;
  }

  /** The uses that prevent the deletion of the record. */
  protected async usesOf(businessId: number, id: number): Promise<readonly Use[]> {
    const counts = countsOfUses(businessId, this.table.name, id);
    return counts ? run<Use>(this.queries, counts) : [];
  }

  protected recordFrom({ id, record_version: version, ...row }: Row): StoredRecord<Fields> {
    const pairs = Object.entries(row).map(([field, value]) => [
      field,
      value instanceof Date ? value.toISOString() : value,
    ]);
    return { id, version, fields: Object.fromEntries(pairs) };
  }

  /** Read-only fields are undefined here and are not written. */
  protected valuesOf(_businessId: number, fields: Fields): Record<string, unknown> {
    const { columns, arrays = [] } = this.table;
    const written = Object.entries(columns).filter(([field]) => fields[field as keyof Fields] !== undefined);
    return Object.fromEntries(
      written.map(([field, column]) => {
        const value = fields[field as keyof Fields];
        const isJson = typeof value === "object" && value !== null && !arrays.includes(field as keyof Fields);
        return [column, isJson ? JSON.stringify(value) : value];
      }),
    );
  }

  async now(): Promise<Date> {
    const [row] = await run<{ now: Date }>(this.queries, sql.raw("select now() as now"));
    return row?.now ?? new Date();
  }

  /** Inserts the row without its sets; returns its id. `more` has the values of columns without a field. */
  protected async insert(businessId: number, fields: Fields, more: object = {}): Promise<number> {
    const [id] = await this.insertAll(businessId, [fields], more);
    return id as number;
  }

  /** Inserts rows without their sets; returns their ids, which rise in the order of the rows. */
  protected async insertAll(businessId: number, records: readonly Fields[], more: object = {}): Promise<number[]> {
    if (records.length === 0) return [];
    const { name, only } = this.table;
    const rows = records.map((fields) => ({
      business_id: businessId,
      ...only,
      ...this.valuesOf(businessId, fields),
      ...more,
    }));
    const inserted = await this.written(sql(name).insert(rows).returning("id"));
    return inserted.map((row) => (row as Row).id).sort((a, b) => a - b);
  }

  /** Updates the row without its sets. */
  protected async update(businessId: number, id: number, fields: Fields): Promise<void> {
    const { changedAt } = this.table;
    const values = {
      ...this.valuesOf(businessId, fields),
      record_version: sql.raw("record_version + 1"),
      ...(changedAt && { [changedAt]: sql.fn.now() }),
    };
    await this.written(sql(this.table.name).where({ business_id: businessId, id }).update(values));
  }

  /** Writes the sets of an inserted or updated row and reads the record. */
  protected async finished(businessId: number, id: number, fields: Fields): Promise<StoredRecord<Fields>> {
    await this.writeSets(businessId, [[id, fields]]);
    return this.held(businessId, id);
  }

  /** Reads a record that this transaction has written or locked. */
  protected async held(businessId: number, id: number): Promise<StoredRecord<Fields>> {
    const kept = await this.find(businessId, id);
    if (!kept) throw new Error(`${this.table.name} ${id} of business ${businessId} is gone in its own transaction`);
    return kept;
  }

  protected async checkReferences(businessId: number, id: number | null, fields: Fields): Promise<void> {
    const existing = id === null ? null : await this.held(businessId, id);
    const [field] = await this.unknownReferences(businessId, [{ fields, existing }]);
    if (field) throw new UnknownReference(field);
  }

  /** Writing both sides of a mirrored set at once could deadlock, so the writes of one business take turns. */
  protected async lockWrites(businessId: number): Promise<void> {
    for (const [, { table, mirror }] of setsOf(this.table)) {
      if (mirror) await advisoryLock(this.queries, table, businessId);
    }
  }

  protected written(built: Knex.QueryBuilder | Knex.Raw): Promise<Row[]> {
    return run<Row>(this.queries, built).catch(duplicateValueIn(this.table));
  }
}

const idsNamed = (value: unknown): number[] =>
  typeof value === "string" ? idsIn(value) : ([value ?? []].flat() as number[]);

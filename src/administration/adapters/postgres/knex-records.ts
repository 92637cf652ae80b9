import type { Knex } from "knex";
import type { Queries } from "../../../infra/postgres/database.ts";
import type { ListAsked, RecordStore } from "../../application/ports.ts";
import { type Kept, RecordInUse, UnknownReference } from "../../domain/records.ts";
import { run, sql } from "./query.ts";
import { type RecordTable, referencesOf, setsOf, takenIn } from "./record-table.ts";

export interface Row {
  readonly id: number;
  readonly record_version: number;
  readonly [field: string]: unknown;
}

/** The column that says when a record was archived. Only records that named it before may go on naming it. */
const archivedAt: Readonly<Record<string, string>> = {
  users: "archived_at",
  articles: "archived_at",
  steps: "archived_at",
};

/** The records of one table. Those of another business are not there. */
export class KnexRecords<Fields extends object> implements RecordStore<Fields> {
  constructor(
    private readonly queries: Queries,
    private readonly table: RecordTable<Fields>,
  ) {}

  async list(businessId: number, { text, after, limit }: ListAsked): Promise<readonly Kept<Fields>[]> {
    const { searched } = this.table;
    const page = this.of(businessId)
      .orderBy("record.id", "desc")
      .limit(limit + 1);
    if (after !== null) page.where("record.id", "<", after);
    if (text !== null) {
      const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      page.where((any) => {
        for (const column of searched) any.orWhereILike(column.includes(".") ? column : `record.${column}`, pattern);
      });
    }
    return (await run<Row>(this.queries, page)).map((row) => this.keptOf(row));
  }

  async find(businessId: number, id: number): Promise<Kept<Fields> | null> {
    const [row] = await run<Row>(this.queries, this.of(businessId).where("record.id", id));
    return row ? this.keptOf(row) : null;
  }

  async lock(businessId: number, id: number): Promise<Kept<Fields> | null> {
    // First the row alone: what is aggregated beside it cannot be locked, and is read after the wait.
    const locked = await run<Row>(
      this.queries,
      sql(this.table.name).where({ business_id: businessId, id }).select("id").forUpdate(),
    );
    return locked.length === 0 ? null : this.find(businessId, id);
  }

  async create(businessId: number, fields: Fields): Promise<Kept<Fields>> {
    await this.checkReferences(businessId, null, fields);
    const values = { business_id: businessId, ...this.table.only, ...this.valuesOf(businessId, fields) };
    const [made] = await this.written(sql(this.table.name).insert(values).returning("id"));
    return this.finished(businessId, (made as Row).id, fields);
  }

  async change(businessId: number, id: number, fields: Fields): Promise<Kept<Fields>> {
    await this.checkReferences(businessId, id, fields);
    const { changedAt } = this.table;
    const values = {
      ...this.valuesOf(businessId, fields),
      record_version: sql.raw("record_version + 1"),
      ...(changedAt && { [changedAt]: sql.fn.now() }),
    };
    await this.written(sql(this.table.name).where({ business_id: businessId, id }).update(values));
    return this.finished(businessId, id, fields);
  }

  async remove(businessId: number, id: number): Promise<void> {
    const { name, archives, uses = [] } = this.table;
    const row = sql(name).where({ business_id: businessId, id });
    if (archives) {
      await run(this.queries, row.update({ [archives]: sql.fn.now(), record_version: sql.raw("record_version + 1") }));
      return;
    }
    const counts = uses.map(({ what, table, column }) =>
      sql(table)
        .where({ business_id: businessId, [column]: id })
        .select(sql.raw("?::text as what, count(*)::integer as count", [what])),
    );
    const [first, ...others] = counts;
    const found = first ? await run<{ what: string; count: number }>(this.queries, first.unionAll(others)) : [];
    const used = found.filter(({ count }) => count > 0);
    if (used.length > 0) throw new RecordInUse(used);
    await run(this.queries, row.delete());
  }

  /** Those with these ids, in their order. */
  async those(businessId: number, ids: readonly number[]): Promise<Kept<Fields>[]> {
    if (ids.length === 0) return [];
    const asked = this.of(businessId)
      .whereRaw("record.id = any(?)", [ids] as never)
      .orderBy("record.id");
    return (await run<Row>(this.queries, asked)).map((row) => this.keptOf(row));
  }

  /** All columns and sets of the business's records. */
  protected of(businessId: number): Knex.QueryBuilder {
    const { name, columns, exact = [], archives, only = {} } = this.table;
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

  protected keptOf({ id, record_version: version, ...row }: Row): Kept<Fields> {
    const pairs = Object.entries(row).map(([field, value]) => [
      field,
      value instanceof Date ? value.toISOString() : value,
    ]);
    return { id, version, fields: Object.fromEntries(pairs) };
  }

  /** Fields that are only read are not there. */
  protected valuesOf(_businessId: number, fields: Fields): Record<string, unknown> {
    const { columns, arrays = [] } = this.table;
    const given = Object.entries(columns).filter(([field]) => fields[field as keyof Fields] !== undefined);
    return Object.fromEntries(
      given.map(([field, column]) => {
        const value = fields[field as keyof Fields];
        const isJson = typeof value === "object" && value !== null && !arrays.includes(field as keyof Fields);
        return [column, isJson ? JSON.stringify(value) : value];
      }),
    );
  }

  private async finished(businessId: number, id: number, fields: Fields): Promise<Kept<Fields>> {
    for (const [field, { table, own, other }] of setsOf(this.table)) {
      const wanted = fields[field as keyof Fields] as readonly number[];
      const pairs = sql(table).where({ business_id: businessId, [own]: id });
      await run(this.queries, pairs.whereNotIn(other, [...wanted]).delete());
      if (wanted.length === 0) continue;
      const rows = wanted.map((each) => ({ business_id: businessId, [own]: id, [other]: each }));
      await run(this.queries, sql(table).insert(rows).onConflict().ignore());
    }
    const kept = await this.find(businessId, id);
    if (!kept) throw new Error(`${this.table.name} ${id} of business ${businessId} is gone in its own transaction`);
    return kept;
  }

  /** The ids that a field names. */
  protected idsNamed(field: keyof Fields & string, fields: Fields): readonly number[] {
    const value = fields[field] as number | readonly number[] | null;
    return value === null ? [] : [value].flat();
  }

  private async checkReferences(businessId: number, id: number | null, fields: Fields): Promise<void> {
    for (const [field, table] of referencesOf(this.table)) {
      const ids = [...new Set(this.idsNamed(field, fields))];
      if (ids.length === 0) continue;
      const wanted = sql(table).where("business_id", businessId).whereIn("id", ids);
      if (archivedAt[table]) wanted.whereNull(archivedAt[table]);
      // Kept from being deleted until this transaction ends.
      const there = await run<Row>(this.queries, wanted.select("id").orderBy("id").forKeyShare());
      if (there.length === ids.length) continue;
      const before = id === null ? null : await this.find(businessId, id);
      const known = new Set([...there.map((row) => row.id), ...(before ? this.idsNamed(field, before.fields) : [])]);
      if (!ids.every((each) => known.has(each))) throw new UnknownReference(field);
    }
  }

  protected written(built: Knex.QueryBuilder): Promise<Row[]> {
    return run<Row>(this.queries, built).catch(takenIn(this.table));
  }
}

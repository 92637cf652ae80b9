import type { Queries } from "../../../infra/postgres/database.ts";
import { groupBy } from "../../../kernel/group-by.ts";
import type { RecordBatches } from "../../application/ports.ts";
import { type Matching, matchKeyOf, type RowInput, type StoredRecord } from "../../domain/records.ts";
import { KnexRecords } from "./knex-records.ts";
import { run, sql } from "./query.ts";
import { duplicateValueIn, type RecordTable } from "./record-table.ts";
import { archivedAt } from "./references.ts";

/** Reads and writes many records of one table in a few statements. */
export class KnexBatches<Fields extends object> extends KnexRecords<Fields> implements RecordBatches<Fields> {
  constructor(
    queries: Queries,
    table: RecordTable<Fields>,
    private readonly rowMatching: Matching<Fields>,
  ) {
    super(queries, table);
  }

  async matching(
    businessId: number,
    wanted: readonly RowInput<Fields>[],
  ): Promise<readonly (StoredRecord<Fields> | null)[]> {
    if (wanted.length === 0) return [];
    const { name, columns } = this.table;
    const matching = this.rowMatching;
    await this.lockWrites(businessId);
    const valuesOf = (field: keyof Fields) => [...new Set(wanted.flatMap(({ fields }) => fields[field] ?? []))];
    const columnOf = (field: keyof Fields | undefined) => String(field && columns[field]);
    const [first] = matching.by;
    const [other] = matching.orElseBy ?? [];
    const asked = sql(name)
      .where("business_id", businessId)
      .where((either) => {
        if (first) either.whereIn(columnOf(first), valuesOf(first) as string[]);
        if (!other) return;
        either.orWhere((unnamed) => {
          for (const field of matching.by) unnamed.whereNull(columnOf(field));
          unnamed.whereIn(columnOf(other), valuesOf(other) as string[]);
        });
      })
      .select("id")
      .orderBy("id")
      .forNoKeyUpdate();
    const archives = archivedAt(name);
    if (archives) asked.whereNull(archives);
    const locked = await run<{ id: number }>(this.queries, asked);
    const kept = await this.findAll(
      businessId,
      locked.map(({ id }) => id),
    );
    const byKey = groupBy(kept, ({ fields }) => matchKeyOf(matching, fields));
    // Several records may have the row's key. The one with the row's id is chosen, or else the first one.
    return wanted.map(({ id, fields }) => {
      const alike = byKey.get(matchKeyOf(matching, fields)) ?? [];
      return alike.find((each) => each.id === id) ?? alike[0] ?? null;
    });
  }

  async createAll(businessId: number, records: readonly Fields[]): Promise<readonly (StoredRecord<Fields> | null)[]> {
    if (records.length === 0) return [];
    const { name } = this.table;
    const numbers = sql
      .select(sql.raw("nextval(pg_get_serial_sequence(?, 'id')) as id", [name]))
      .from(sql.raw("generate_series(1, ?)", [records.length]));
    const ids = (await run<{ id: number }>(this.queries, numbers)).map(({ id }) => id);
    const [columns, rows] = this.rowsOf(records.map((fields, at) => [ids[at] as number, fields]));
    const inserted = await run<{ id: number }>(
      this.queries,
      sql.raw(
        `insert into ?? (business_id, id, ${columns.map(() => "??")})
         select ?, input.id, ${columns.map(() => "input.??")}
         from jsonb_populate_recordset(null::??, ?::jsonb) as input order by input.id
         on conflict do nothing
         returning id`,
        [name, ...columns, businessId, ...columns, name, rows],
      ),
    );
    const there = new Set(inserted.map(({ id }) => id));
    const written = [...records.entries()].map(([at, fields]): [number, Fields] => [ids[at] as number, fields]);
    await this.writeSets(
      businessId,
      written.filter(([id]) => there.has(id)),
    );
    const byId = new Map((await this.findAll(businessId, [...there])).map((each) => [each.id, each]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  async changeAll(
    businessId: number,
    changes: readonly { readonly id: number; readonly fields: Fields }[],
  ): Promise<readonly StoredRecord<Fields>[]> {
    if (changes.length === 0) return [];
    const { name } = this.table;
    const written = changes.map(({ id, fields }): [number, Fields] => [id, fields]);
    const [columns, rows] = this.rowsOf(written);
    const update = sql.raw(
      `update ?? as record
       set record_version = record.record_version + 1${columns.map(() => ", ?? = input.??").join("")}
       from jsonb_populate_recordset(null::??, ?::jsonb) as input
       where record.business_id = ? and record.id = input.id`,
      [name, ...columns.flatMap((column) => [column, column]), name, rows, businessId],
    );
    await run(this.queries, update).catch(duplicateValueIn(this.table));
    await this.writeSets(businessId, written);
    return this.inOrder(
      businessId,
      changes.map(({ id }) => id),
    );
  }

  /** The columns to write, and the rows as one JSON text for `jsonb_populate_recordset`. */
  private rowsOf(records: readonly (readonly [id: number, fields: Fields])[]): [columns: string[], rows: string] {
    const { only = {} } = this.table;
    const columnOf = Object.entries(this.table.columns as Readonly<Record<string, string>>);
    const first = records[0]?.[1];
    const written = columnOf.filter(([field]) => first?.[field as keyof Fields] !== undefined);
    const rows = records.map(([id, fields]) => ({
      ...only,
      id,
      ...Object.fromEntries(written.map(([field, column]) => [column, fields[field as keyof Fields]])),
    }));
    return [[...Object.keys(only), ...written.map(([, column]) => column)], JSON.stringify(rows)];
  }
}

import { literal, quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

/** What of a table is in the target: nothing, all up to a key, or all. */
export type Part = { readonly last: readonly string[] } | "nothing" | "all";

/** Refuses to go on where another process has taken the move over. */
export type Guard = () => Promise<void>;

export async function partsOf(target: Side, businessId: number): Promise<Map<string, Part>> {
  const rows = await target.rows<{ table_name: string; last_key: string[] | null }>(
    "select table_name, last_key from copied_parts where business_id = $1",
    [businessId],
  );
  return new Map(rows.map(({ table_name, last_key }) => [table_name, last_key ? { last: last_key } : "all"]));
}

const keyList = (table: TenantTable): string => `(${table.key.map(({ name }) => quoted(name)).join(", ")})`;
const keyOf = (table: TenantTable, values: readonly string[]): string =>
  `(${table.key.map(({ type }, at) => `${literal(values[at] ?? "")}::${type}`).join(", ")})`;
const columnsOf = (table: TenantTable, of = ""): string =>
  table.columns.map((column) => `${of}${quoted(column)}`).join(", ");

/**
 * Copies the next rows of a table, in the order of their keys, and notes in the same transaction how far it came. The
 * source is in a snapshot.
 * @returns how many rows, and what of the table is there now
 */
export async function copyChunk(
  source: Side,
  target: Side,
  table: TenantTable,
  businessId: number,
  part: Part,
  chunk: number,
  guard: Guard,
): Promise<{ readonly rows: number; readonly part: Part }> {
  if (part === "all") return { rows: 0, part };
  const after = part === "nothing" ? "" : `and ${keyList(table)} > ${keyOf(table, part.last)}`;
  const wanted = `from ${quoted(table.name)} where ${quoted(table.owner)} = ${businessId} ${after}`;
  const last = table.key.length === 0 ? undefined : await lastOfChunk(source, table, wanted, chunk);
  const upTo = last ? `and ${keyList(table)} <= ${keyOf(table, last)}` : "";
  return await target.transaction("quiet", async () => {
    await guard();
    const rows = await source.copyTo(target, `select ${columnsOf(table)} ${wanted} ${upTo}`, table.name, table.columns);
    await target.run(
      `insert into copied_parts as known (business_id, table_name, last_key, rows) values ($1, $2, $3, $4)
       on conflict (business_id, table_name) do update
       set last_key = excluded.last_key, rows = known.rows + excluded.rows`,
      [businessId, table.name, last ?? null, rows],
    );
    return { rows, part: last ? { last } : "all" };
  });
}

/** The key of the last row of a full chunk; undefined where what is left is less. */
async function lastOfChunk(
  source: Side,
  table: TenantTable,
  wanted: string,
  chunk: number,
): Promise<string[] | undefined> {
  const texts = table.key.map(({ name }) => `${quoted(name)}::text`).join(", ");
  const order = table.key.map(({ name }) => quoted(name)).join(", ");
  const [found] = await source.rows<{ key: string[] }>(
    `select array[${texts}] as key ${wanted} order by ${order} offset ${chunk - 1} limit 1`,
  );
  return found?.key;
}

/** The names of the tables in which the source's snapshot knows of changed rows. */
export async function changedTables(source: Side, businessId: number): Promise<Set<string>> {
  const text = "select distinct table_name from moved_keys where business_id = $1";
  return new Set((await source.rows<{ table_name: string }>(text, [businessId])).map((row) => row.table_name));
}

/** How many keys writers have left by now. */
export async function keysLeft(source: Side, businessId: number): Promise<number> {
  const text = "select count(*)::int as count from moved_keys where business_id = $1";
  return (await source.rows<{ count: number }>(text, [businessId]))[0]?.count ?? 0;
}

/** Forgets the keys that the source's snapshot knows of; those that were left meanwhile stay. */
export const forgetKeys = (source: Side, businessId: number): Promise<number> =>
  source.run("delete from moved_keys where business_id = $1", [businessId]);

/**
 * Makes the changed rows the same in the target as they are in the source's snapshot, whatever happened to them. All that
 * were changed are deleted first, so that rows may have exchanged what is unique. Rows that are still to be copied are
 * left out: they will be copied as they are by then.
 */
export async function bring(
  source: Side,
  target: Side,
  tables: readonly TenantTable[],
  businessId: number,
  parts: ReadonlyMap<string, Part>,
  guard: Guard,
): Promise<void> {
  const names = await changedTables(source, businessId);
  const touched = tables.filter(({ name }) => names.has(name) && parts.has(name));
  if (touched.length === 0) return;
  await target.transaction("quiet", async () => {
    await guard();
    for (const table of touched) {
      const part = parts.get(table.name) ?? "nothing";
      const keys = changedKeys(table, businessId, part);
      const { name } = table;
      const own = `own.${quoted(table.owner)} = ${businessId}`;
      await withArriving(source, target, keys, () =>
        target.run(`delete from ${quoted(name)} as own using ${arriving} as changed where ${own} ${hasKey(table)}`),
      );
      const wanted = `select ${columnsOf(table, "own.")} from ${quoted(name)} as own join (${keys}) as changed on true`;
      await source.copyTo(target, `${wanted} where ${own} ${hasKey(table)}`, name, table.columns);
    }
  });
}

const arriving = "recado_arriving_keys";

/** The keys of changed rows of a table, in the cell that they were changed in. */
export const changedKeys = (table: TenantTable, businessId: number, part: Part = "all"): string => {
  const casts = table.key.map(({ type }, at) => `key[${at + 1}]::${type}`).join(", ");
  const copied = typeof part === "string" ? "" : `and (${casts}) <= ${keyOf(table, part.last)}`;
  return `
    select distinct key from moved_keys
    where business_id = ${businessId} and table_name = ${literal(table.name)} ${copied}`;
};

/** Whether the row `own` has the key of the row `changed`. */
export const hasKey = (table: TenantTable): string =>
  table.key.map(({ name, type }, at) => `and own.${quoted(name)} = changed.key[${at + 1}]::${type}`).join(" ");

/** Lends the target the keys that the query finds in the source, for as long as `work` takes, in its transaction. */
export async function withArriving<Result>(
  source: Side,
  target: Side,
  keys: string,
  work: (table: string) => Promise<Result>,
): Promise<Result> {
  await target.run(`create temporary table ${arriving} (key text[]) on commit drop`);
  await source.copyTo(target, keys, arriving, ["key"]);
  // Without it the planner would take them for a thousand.
  await target.run(`analyze ${arriving}`);
  const result = await work(arriving);
  await target.run(`drop table ${arriving}`);
  return result;
}

import { literal, quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

/** How much of a table is in the target: nothing, the rows up to a key, or all rows. */
export type Part = { readonly last: readonly string[] } | "nothing" | "all";

/** Throws `TakenOver` if another process has taken the move over. */
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
 * Copies the next rows of a table in the order of their keys, and records its progress in the same transaction. The
 * source must be in a snapshot.
 * @returns the number of rows, and how much of the table is in the target now
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

/** The key of the last row of the next chunk, or undefined if fewer rows than a chunk are left. */
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

/** The tables with changed rows. In a snapshot, later changes are not seen. */
export async function changedTables(source: Side, businessId: number): Promise<Set<string>> {
  const text = "select distinct table_name from moved_keys where business_id = $1";
  return new Set((await source.rows<{ table_name: string }>(text, [businessId])).map((row) => row.table_name));
}

/** The number of recorded changes that still have to be copied. A row that changed twice counts twice. */
export async function changesLeft(source: Side, businessId: number): Promise<number> {
  const text = "select count(*)::int as count from moved_keys where business_id = $1";
  return (await source.rows<{ count: number }>(text, [businessId]))[0]?.count ?? 0;
}

/** While the business may write, call this in a snapshot: then the keys of later changes are not deleted. */
export const deleteChangedKeys = (source: Side, businessId: number): Promise<number> =>
  source.run("delete from moved_keys where business_id = $1", [businessId]);

/**
 * Copies changed rows again from the source's snapshot. First deletes all changed rows of a table in the target, since
 * rows may have swapped unique values. Skips rows that no chunk has copied yet: a later chunk copies them.
 */
export async function applyChanges(
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
      await withKeysInTarget(source, target, keys, (sent) =>
        target.run(`delete from ${quoted(name)} as own using ${sent} as changed where ${own} ${hasKey(table)}`),
      );
      const wanted = `select ${columnsOf(table, "own.")} from ${quoted(name)} as own join (${keys}) as changed on true`;
      await source.copyTo(target, `${wanted} where ${own} ${hasKey(table)}`, name, table.columns);
    }
  });
}

/** A query for the keys of changed rows of a table. It must run in the source. */
export const changedKeys = (table: TenantTable, businessId: number, part: Part = "all"): string => {
  const casts = table.key.map(({ type }, at) => `key[${at + 1}]::${type}`).join(", ");
  const copied = typeof part === "string" ? "" : `and (${casts}) <= ${keyOf(table, part.last)}`;
  return `
    select distinct key from moved_keys
    where business_id = ${businessId} and table_name = ${literal(table.name)} ${copied}`;
};

/** An SQL condition: the row `own` has the key of the row `changed`. */
export const hasKey = (table: TenantTable): string =>
  table.key.map(({ name, type }, at) => `and own.${quoted(name)} = changed.key[${at + 1}]::${type}`).join(" ");

const sentKeys = "recado_sent_keys";

/** Sends keys from the source to a temporary table in the target for `work`. The target must be in a transaction. */
export async function withKeysInTarget<Result>(
  source: Side,
  target: Side,
  keys: string,
  work: (table: string) => Promise<Result>,
): Promise<Result> {
  await target.run(`create temporary table ${sentKeys} (key text[]) on commit drop`);
  await source.copyTo(target, keys, sentKeys, ["key"]);
  // Without statistics the planner expects about a thousand rows.
  await target.run(`analyze ${sentKeys}`);
  const result = await work(sentKeys);
  await target.run(`drop table ${sentKeys}`);
  return result;
}

import { changedKeys, changedTables, hasKey, withKeysInTarget } from "./copy.ts";
import { quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

interface Figures {
  readonly count: string;
  /** The sum of the 64-bit hashes of the counted rows. Empty if only the number of rows is compared. */
  readonly sum: string;
}

interface Comparison {
  /** Milliseconds that the slower side took. */
  readonly ms: number;
  readonly rows: number;
}

/** The rows of a table differ between the cells, so the move must not switch. */
class Differing extends Error {
  constructor(table: string, source: Figures, target: Figures) {
    const text = ({ count, sum }: Figures) => `${count} rows with checksum ${sum}`;
    super(`the copy differs: ${table} has ${text(source)}, its copy ${text(target)}. Nothing was switched.`);
  }
}

const sumOf = (table: TenantTable): string => {
  const row = `row(${table.columns.map((column) => `own.${quoted(column)}`).join(", ")})::text`;
  return `select count(*)::text as count, coalesce(sum(hashtextextended(${row}, 0)), 0)::text as sum
    from ${quoted(table.name)} as own`;
};

const ofBusiness = (table: TenantTable, businessId: number): string => `own.${quoted(table.owner)} = ${businessId}`;

const figures = async (side: Side, text: string): Promise<Figures> =>
  (await side.rows<Figures>(text))[0] ?? { count: "0", sum: "0" };

/** Compares all rows of a table. The source must be in a snapshot. Throws `Differing`. */
export async function compareAll(
  source: Side,
  target: Side,
  table: TenantTable,
  businessId: number,
): Promise<Comparison> {
  const begun = performance.now();
  const text = `${sumOf(table)} where ${ofBusiness(table, businessId)}`;
  const [here, there] = await Promise.all([figures(source, text), figures(target, text)]);
  assertSame(table, here, there);
  return { ms: performance.now() - begun, rows: Number(here.count) };
}

/** Compares the number of all rows, and the contents of the changed ones. Throws `Differing`. */
export async function compareChanged(
  source: Side,
  target: Side,
  table: TenantTable,
  businessId: number,
): Promise<void> {
  const own = ofBusiness(table, businessId);
  const counts = `select count(*)::text as count, '' as sum from ${quoted(table.name)} as own where ${own}`;
  const [here, there] = await Promise.all([figures(source, counts), figures(target, counts)]);
  assertSame(table, here, there);
  if (!(await changedTables(source, businessId)).has(table.name)) return;
  const keys = changedKeys(table, businessId);
  const changedHere = await figures(
    source,
    `${sumOf(table)} join (${keys}) as changed on true where ${own} ${hasKey(table)}`,
  );
  const changedThere = await target.transaction("plain", () =>
    withKeysInTarget(source, target, keys, (sent) =>
      figures(target, `${sumOf(table)} join ${sent} as changed on true where ${own} ${hasKey(table)}`),
    ),
  );
  assertSame(table, changedHere, changedThere);
}

function assertSame(table: TenantTable, source: Figures, target: Figures): void {
  if (source.count !== target.count || source.sum !== target.sum) throw new Differing(table.name, source, target);
}

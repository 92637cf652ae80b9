import type { Guard } from "./copy.ts";
import { quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

/** Rows that are deleted in one transaction. */
const batch = 5_000;

/** What the sweep of media files looks at. Without these rows it knows of no file; with them it needs the business's. */
const first: readonly string[] = ["media_files", "media_usage"];

/**
 * Deletes all rows of a business from a cell where it does not live, in batches; how many. Neither triggers nor references
 * act: nothing is told, and nothing is deleted that is not the business's.
 */
export async function deleteRows(
  side: Side,
  tables: readonly TenantTable[],
  businessId: number,
  guard: Guard,
): Promise<number> {
  const ordered = [
    ...tables.filter(({ name }) => first.includes(name)),
    ...tables.filter(({ name }) => !first.includes(name) && name !== "businesses"),
    ...tables.filter(({ name }) => name === "businesses"),
  ];
  let total = 0;
  for (const table of ordered) {
    const text = `
      delete from ${quoted(table.name)} where ctid = any(array(
        select ctid from ${quoted(table.name)} where ${quoted(table.owner)} = $1 limit ${batch}))`;
    for (let deleted = batch; deleted === batch; total += deleted) {
      deleted = await side.transaction("quiet", async () => {
        await guard();
        return side.run(text, [businessId]);
      });
    }
  }
  return total;
}

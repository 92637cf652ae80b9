import type { Guard } from "./copy.ts";
import { quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

/** The number of rows that one transaction deletes. */
const batch = 5_000;

/**
 * Tables that are emptied first. The sweep of media files deletes files that are listed in `media_files` and that the
 * business's other tables do not mention. If the other tables were emptied first, the sweep could delete files in use.
 */
const first: readonly string[] = ["media_files", "media_usage"];

/**
 * Deletes the rows of a business from a cell in batches, without triggers and foreign keys: no event is sent, and no
 * row of another business is deleted. Returns the number of rows.
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

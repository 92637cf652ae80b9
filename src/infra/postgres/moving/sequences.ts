import { literal, quoted, type Side } from "./side.ts";
import { staying } from "./tenant-tables.ts";
import { whenFree } from "./watch.ts";

/** These ids never collide: each cell has its own range of users' ids, and the first cell assigns businesses' ids. */
const installationWide: ReadonlySet<string> = new Set(["users", "businesses"]);

const list = `
  select number.relname as name, coalesce(owner.relname, '') as table
  from pg_class as number
  left join pg_depend as link on link.objid = number.oid and link.classid = 'pg_class'::regclass
    and link.refclassid = 'pg_class'::regclass and link.deptype in ('a', 'i')
  left join pg_class as owner on owner.oid = link.refobjid
  where number.relnamespace = current_schema()::regnamespace and number.relkind = 'S'
    and (owner.relname is null or exists (
      select 1 from pg_attribute where attrelid = owner.oid and attname = 'business_id' and not attisdropped))
  order by 1`;

/** The last number of each sequence that assigns ids to rows of businesses. */
async function lastNumbers(side: Side): Promise<Map<string, number>> {
  const found = (await side.rows<{ name: string; table: string }>(list)).filter(
    ({ name, table }) => !installationWide.has(table) && !staying.has(table) && name !== "directory_versions",
  );
  if (found.length === 0) return new Map();
  const each = found.map(
    ({ name }) => `select ${literal(name)} as name, last_value::text as last, is_called from ${quoted(name)}`,
  );
  const rows = await side.rows<{ name: string; last: string; is_called: boolean }>(each.join(" union all "));
  return new Map(rows.map(({ name, last, is_called }) => [name, is_called ? Number(last) : 0]));
}

/**
 * Raises the target's sequences above the source's. Otherwise new rows could get ids that the business already has, and
 * lists sorted by id would be out of order. A raised sequence skips `spare` more ids, which the source may assign after
 * this call.
 */
export async function raiseSequences(source: Side, target: Side, spare: number): Promise<void> {
  const there = await lastNumbers(target);
  for (const [name, last] of await lastNumbers(source)) {
    if ((there.get(name) ?? 0) >= last) continue;
    await whenFree(target, async () => {
      // Locks the sequence without changing it. Otherwise numbers that are taken just before `setval` could be assigned
      // twice.
      await target.run(`alter sequence ${quoted(name)} no cycle`);
      await target.run(
        `select setval(${literal(quoted(name))}::regclass, greatest(last_value, $1)) from ${quoted(name)}`,
        [last + spare],
      );
    });
  }
}

import type { Cell, Stage } from "./stage.ts";

/** Tables without `business_id`. Such a table must belong to the whole installation, not to businesses. */
export async function tablesWithoutBusiness(stage: Stage): Promise<string[]> {
  const rows = await stage.rows<{ name: string }>(
    "c1",
    `select relname as name from pg_class as class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'businesses' and not exists (
       select from pg_attribute where attrelid = class.oid and attname = 'business_id' and not attisdropped)
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Triggers, functions and rows that a move left behind. */
export async function emptyStaying(stage: Stage, cell: Cell): Promise<string[]> {
  const rows = await stage.rows<{ name: string }>(
    cell,
    `select tgname::text as name from pg_trigger where tgname like 'moving\\_%'
     union all select proname::text from pg_proc where proname like 'moving\\_%'
     union all select 'moving_businesses' from moving_businesses
     union all select 'moved_keys' from moved_keys
     union all select 'copied_parts' from copied_parts
     union all select 'away_businesses' from away_businesses`,
  );
  return rows.map(({ name }) => name);
}

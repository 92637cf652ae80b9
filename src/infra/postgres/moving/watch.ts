import { setTimeout as sleep } from "node:timers/promises";
import { hasLeft, movingState } from "../database-failure.ts";
import { literal, quoted, type Side } from "./side.ts";
import type { TenantTable } from "./tenant-tables.ts";

/** The milliseconds that a statement waits for its lock. */
const lockMs = 300;
const lockTries = 200;
const lockNotAvailable = "55P03";
const deadlockDetected = "40P01";

/** The prefix of the names of a move's triggers and functions. */
const prefixOf = (businessId: number): string => `moving_${businessId}_`;

/** Writers of the business share this advisory lock until they commit, so that a move can wait for them. */
export const lockOf = (side: Side, businessId: number): string =>
  `hashtextextended(${literal(`moving ${side.schema} ${businessId}`)}, 0)`;

/**
 * Adds triggers that record the key of every written row of the business, and refuse writes during a hold. Triggers
 * catch writes of all processes. They cost other businesses one comparison per row. Creating a trigger waits for open
 * transactions that wrote to its table.
 */
export async function watch(side: Side, tables: readonly TenantTable[], businessId: number): Promise<void> {
  const known = new Set((await triggersOf(side, businessId)).map(({ table }) => table));
  for (const table of tables) {
    if (known.has(table.name)) continue;
    await whenFree(side, async () => {
      for (const statement of triggersFor(side, table, businessId)) await side.run(statement);
    });
  }
}

export async function unwatch(side: Side, businessId: number): Promise<void> {
  for (const { table, names } of await triggersOf(side, businessId)) {
    await whenFree(side, async () => {
      for (const name of names) await side.run(`drop trigger ${quoted(name)} on ${quoted(table)}`);
      await side.run(`drop function if exists ${quoted(prefixOf(businessId) + table)}()`);
    });
  }
}

const triggers = `
  select class.relname as table, array_agg(made.tgname::text) as names
  from pg_trigger as made join pg_class as class on class.oid = made.tgrelid
  where class.relnamespace = current_schema()::regnamespace and made.tgname like $1
  group by class.relname order by class.relname`;

const triggersOf = (side: Side, businessId: number): Promise<{ table: string; names: string[] }[]> =>
  side.rows(triggers, [`${prefixOf(businessId).replaceAll("_", "\\_")}%`]);

/**
 * The trigger checks for a hold before it takes the advisory lock, so that refused writes do not delay the mover. It
 * checks again afterwards, since a hold may have begun while it waited for the lock.
 */
function triggersFor(side: Side, table: TenantTable, businessId: number): string[] {
  const schema = quoted(side.schema);
  const name = quoted(prefixOf(businessId) + table.name);
  const keyOf = (row: string) =>
    `array[${table.key.map((column) => `${row}.${quoted(column.name)}::text`).join(", ")}]::text[]`;
  const refusal = `
    if (select held_until > clock_timestamp() from ${schema}.moving_businesses where business_id = ${businessId}) then
      raise exception 'business ${businessId} is held for a move' using errcode = '${movingState}', detail = (
        select case when held_until = 'infinity' then ${literal(hasLeft)} else '' end
        from ${schema}.moving_businesses where business_id = ${businessId});
    end if;`;
  const recordKey = (row: string) =>
    `insert into ${schema}.moved_keys (business_id, table_name, key)
     values (${businessId}, ${literal(table.name)}, ${keyOf(row)});`;
  const body = `
    begin
      ${refusal}
      perform pg_advisory_xact_lock_shared(${lockOf(side, businessId)});
      ${refusal}
      if tg_op <> 'INSERT' then ${recordKey("old")} end if;
      if tg_op = 'INSERT' then ${recordKey("new")} end if;
      if tg_op = 'UPDATE' then
        if ${keyOf("new")} <> ${keyOf("old")} then ${recordKey("new")} end if;
      end if;
      return null;
    end`;
  const owner = quoted(table.owner);
  const trigger = (event: string, rows: readonly string[]) => `
    create trigger ${quoted(`${prefixOf(businessId)}${event}`)} after ${event} on ${quoted(table.name)} for each row
    when (${rows.map((row) => `${row}.${owner} = ${businessId}`).join(" or ")}) execute function ${name}()`;
  return [
    `create or replace function ${name}() returns trigger language plpgsql as $watch$${body}$watch$`,
    trigger("insert", ["new"]),
    trigger("update", ["old", "new"]),
    trigger("delete", ["old"]),
  ];
}

/**
 * Runs a transaction that locks a table or a sequence. Writers queue behind a transaction that waits for such a lock,
 * so the transaction waits only briefly and is retried.
 */
export async function whenFree(side: Side, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await side.transaction("plain", async () => {
        await side.run(`set local lock_timeout = ${lockMs}`);
        await work();
      });
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (![lockNotAvailable, deadlockDetected].includes(code) || attempt === lockTries) throw error;
      await sleep(50 + Math.random() * 200);
    }
  }
}

import pg from "pg";
import { makeCell } from "../../src/infra/postgres/cells/make-cell.ts";
import type { Database } from "../../src/infra/postgres/database.ts";
import { movingState } from "../../src/infra/postgres/database-failure.ts";

/** The name and schema of the second cell. The first cell's schema is `public`. */
export const secondCell = "c2";

/** Whether worlds spread their businesses over two cells. */
export const areCellsTwo = (): boolean => process.env.TEST_CELLS === "2";

/** The environment variable that tells a process about the second cell. Empty if there is only one cell. */
export const cellsSettings = (): Record<string, string> =>
  areCellsTwo() ? { CELLS: JSON.stringify({ [secondCell]: { schema: secondCell } }) } : {};

export const livesInSecond = (businessId: number): boolean => businessId % 2 === 0;

/** Views of both cells' rows, for tests that read tables. Types that differ per cell become text. */
const bothCells = `
  create schema both_cells;
  do $$
  declare name text; columns text;
  begin
    for name, columns in
      select class.relname,
             string_agg(quote_ident(attname) || case when type.typnamespace = 'pg_catalog'::regnamespace then ''
                                                     else '::text as ' || quote_ident(attname) end, ', ' order by attnum)
      from pg_class as class
      join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
      join pg_type as type on type.oid = atttypid
      where class.relkind = 'r' and relnamespace = 'c2'::regnamespace and class.relname not like 'migrations%'
      group by class.relname
    loop
      execute format('create view both_cells.%1$I as select %2$s from public.%1$I', name, columns)
        || case when name like 'directory%' then '' else format(' union all select %2$s from c2.%1$I', name, columns) end;
    end loop;
  end $$`;

/** The second cell generates ids above this number. The cells' ids differ, since tests tell records apart by id. */
const firstIdOfSecond = 20_000_000;

const apart = `
  select setval(format('c2.%I', sequencename), ${firstIdOfSecond}) from pg_sequences
  where schemaname = 'c2' and sequencename <> 'users_id_seq' and sequencename not like 'migrations%'`;

export async function makeSecondCell(url: string): Promise<void> {
  await makeCell({ name: secondCell, url, schema: secondCell }, { url });
  await withClient(url, async (client) => {
    await client.query(bothCells);
    await client.query(apart);
  });
}

/** Registers businesses of the second cell in the directory. */
export const noteSecond = (businessIds: readonly number[]): string => `
  insert into directory_businesses (business_id, cell)
  select id, '${secondCell}' from unnest(array[${businessIds.join()}]::bigint[]) as id`;

/** Registers the emails, senders and media files of the second cell in the directory. */
export const noteNames = `
  insert into directory_names (kind, name, business_id, is_checked)
  select 'email', email, business_id, true from ${secondCell}.credentials
  union all select 'sender', provider || ' ' || platform_id, business_id, true from ${secondCell}.senders
  union all select 'media', name, business_id, true from ${secondCell}.media_files
  on conflict do nothing`;

const changes = /^\s*(with\b[\s\S]*)?\b(insert into|update|delete from|truncate|alter|lock|create|drop)\b/i;

/**
 * Matches statements that run only in the first cell: inserts of incoming webhooks, which belong to no business, and
 * statements about schemas and their functions, which both cells share.
 */
const ofNobody = /^\s*(insert into incoming_webhooks|(create|drop) schema|create function \w+[.]\w+)\b/i;

/**
 * Runs a test's statements. Reads use the views of both cells. Writes run in each cell, and one of the cells may refuse
 * them because their business lives in the other cell.
 */
export function bothCellsOf(first: Database) {
  const both = first.beside({ poolSize: 2, schema: "both_cells" });
  const second = first.beside({ poolSize: 2, schema: secondCell });
  return async <Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> => {
    const statement = { name: "", text: sql };
    if (!changes.test(sql)) return both.rows<Row>(statement, values);
    const rows: Row[] = [];
    let refused: unknown;
    for (const cell of ofNobody.test(sql) ? [first] : [first, second]) {
      try {
        // For a text with several statements, `cell.rows` returns undefined.
        rows.push(...((await cell.rows<Row>(statement, values)) ?? []));
      } catch (error) {
        if (refused) throw refused;
        if (!isOfOtherCell(error, sql)) throw error;
        refused = error;
      }
    }
    return rows;
  };
}

const inserts = /\binsert into\b/i;

/** The SQLSTATEs of inserts in a cell that lacks the row to which they refer or from which they read a value. */
const missesRows: readonly unknown[] = ["23502", "23503", "23514"];

/** Whether the cell refused the statement because the business lives in the other cell or has moved there. */
function isOfOtherCell(error: unknown, sql: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  // Only inserts fail because rows are missing. Updates and deletes find no rows in this cell and change nothing.
  if (inserts.test(sql) && missesRows.includes(code)) return true;
  return code === movingState || isOfOtherCell(error.cause, sql);
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

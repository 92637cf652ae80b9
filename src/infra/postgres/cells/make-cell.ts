import pg from "pg";
import { searchPathOf } from "../database.ts";
import { migrate, type Place, pendingMigrations } from "../migrate.ts";
import { withSide } from "../moving/side.ts";
import { requireTwoPlaces } from "../one-place.ts";

/** Users' ids are unique in the whole installation: each cell assigns ids of its own range. */
const usersOfOneCell = 1_000_000_000;

const undefinedTable = "42P01";

/** Returns no rows if a migration has not created the table yet. */
const nothingYet = (error: { readonly code?: unknown }): { readonly rows: never[] } => {
  if (error.code === undefinedTable) return { rows: [] };
  throw error;
};

export interface CellReport {
  readonly bytes: number;
  readonly businesses: number;
  readonly pending: number;
}

interface NamedPlace extends Place {
  readonly name: string;
}

/**
 * Creates the tables of a cell and adds it to the directory. From then on it may get new businesses.
 *
 * @param others - all other created cells except the first one. Their databases must answer
 */
export async function makeCell(
  cell: NamedPlace,
  directory: Place,
  others: readonly NamedPlace[] = [],
): Promise<readonly string[]> {
  await requireOwnPlace(cell, [{ ...directory, name: "the first cell" }, ...others]);
  const migrated = await migrate(cell);
  await withClient(directory, async (client) => {
    await client.query("begin");
    const text = `
      with known as (select number from directory_cells where name = $1),
      next as materialized (
        select (select coalesce(max(number), 0) + 1 from directory_cells) as number
        where not exists (select 1 from known)),
      added as (insert into directory_cells (name, number) select $1, number from next returning number)
      select number from known union all select number from added`;
    const { rows } = await client.query<{ number: number }>(text, [cell.name]);
    await raiseUserIds(cell, rows[0]?.number ?? 0);
    // The commit comes last, since other processes place businesses in the cell as soon as they see it.
    await client.query("commit");
  });
  return migrated;
}

/** Two cells in one place would have the same rows, and moving a business between them would delete it. */
async function requireOwnPlace(place: NamedPlace, others: readonly NamedPlace[]): Promise<void> {
  for (const other of others) {
    // Two different schemas are different places, even in the same database.
    if (place.schema && other.schema && place.schema !== other.schema) continue;
    await withSide({ ...place, cell: place.name }, (own) =>
      withSide({ ...other, cell: other.name }, (side) => requireTwoPlaces(own, side)).catch(
        (error: Error & { readonly code?: string }) => {
          // Only errors of the connection have a code, and they do not name the cell.
          throw error.code === undefined ? error : new Error(`${other.name}: ${error.message || error.code}`);
        },
      ),
    );
  }
}

const raiseUserIds = (place: Place, number: number): Promise<unknown> =>
  withClient(place, (client) => {
    // Never lowers the sequence: when this runs again, a lower number would assign the same ids a second time.
    const text = `
      select setval('users_id_seq', $1::bigint) where (select last_value from users_id_seq) < $1::bigint`;
    return client.query(text, [number * usersOfOneCell]);
  });

/** The names of the created cells. The first cell, which always exists, is not among them. */
export const cellsMade = (directory: Place): Promise<readonly string[]> =>
  withClient(directory, async (client) => {
    const { rows } = await client
      .query<{ name: string }>("select name from directory_cells order by number")
      .catch(nothingYet);
    return rows.map(({ name }) => name);
  });

export const hasBusinesses = (place: Place): Promise<boolean> =>
  withClient(place, async (client) => {
    const { rows } = await client.query("select from businesses limit 1").catch(nothingYet);
    return rows.length > 0;
  });

interface MoveUnderWay {
  readonly businessId: string;
  readonly from: string;
  readonly to: string;
  readonly step: string;
  readonly rows: string;
}

/** Moves that have not ended, including those without a running process. */
export const movesUnderWay = (directory: Place): Promise<readonly MoveUnderWay[]> =>
  withClient(directory, async (client) => {
    const text = `
      select business_id as "businessId", from_cell as "from", to_cell as "to", step, rows_copied as rows
      from business_moves where step not in ('moved', 'undone', 'tidied') order by id`;
    return (await client.query<MoveUnderWay>(text).catch(nothingYet)).rows;
  });

/** Returns an error if a move is under way. Tables must not change then: the move would not copy what is added. */
export async function refusalToChangeTables(directory: Place): Promise<Error | undefined> {
  const [move] = await movesUnderWay(directory);
  if (!move) return undefined;
  const { businessId, from, to } = move;
  return new Error(
    `business ${businessId} is being moved from ${from} to ${to}: complete the move with make move-business ` +
      `BUSINESS=${businessId} TO=${to}, or undo it with UNDO=1, and then change the tables`,
  );
}

export async function reportOn(place: Place): Promise<CellReport> {
  const pending = await pendingMigrations(place);
  return withClient(place, async (client) => {
    const { rows } = await client.query<{ bytes: string; businesses: string }>(`
      select (select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class
              where relkind = 'r' and relnamespace = current_schema()::regnamespace) as bytes,
             (select count(*) from businesses where id <> all (array(select business_id from away_businesses)))
               as businesses`);
    return { bytes: Number(rows[0]?.bytes), businesses: Number(rows[0]?.businesses), pending };
  });
}

async function withClient<Result>(
  { url, schema }: Place,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    if (schema) await client.query(`set search_path = ${searchPathOf(schema)}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

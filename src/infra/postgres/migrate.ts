import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Knex } from "knex";
import knex from "knex";
import pg from "pg";
import { citusFunctions } from "./citus-functions.ts";
import { withSingleCommands } from "./single-commands.ts";

/** Beside `src` whether it runs from the sources or from the build. */
const directory = fileURLToPath(new URL("../../../migrations/", import.meta.url));

/** Names carry no file ending, so that a database migrated from the sources is also the build's. */
class Migrations implements Knex.MigrationSource<string> {
  async getMigrations(): Promise<string[]> {
    const files = await readdir(directory);
    return files.filter((file) => /^\d+_.*(?<![.]d)[.][jt]s$/.test(file)).sort();
  }

  getMigrationName(file: string): string {
    return file.replace(/[.][jt]s$/, "");
  }

  async getMigration(file: string): Promise<Knex.Migration> {
    const { up, down, config }: Knex.Migration & { readonly config?: object } = await import(
      pathToFileURL(`${directory}${file}`).href
    );
    return {
      up: (db) => up(withSingleCommands(db)),
      ...(down && { down: (db) => down(withSingleCommands(db)) }),
      ...(config && { config }),
    };
  }
}

/** Any number will do that nobody else uses. */
const advisoryLock = 726_300_001;

/** Where a cell's tables are: in a database, or in a schema of one. */
export interface Place {
  readonly url: string;
  /** Empty: where the database puts tables by itself. */
  readonly schema?: string | undefined;
}

async function withMigrator<Result>(
  { url, schema }: Place,
  work: (migrator: Knex.Migrator) => Promise<Result>,
): Promise<Result> {
  const searchPath = schema ? { searchPath: [schema] } : {};
  const db = knex({ client: "pg", connection: url, pool: { min: 0, max: 2 }, ...searchPath });
  try {
    return await work(db.migrate);
  } finally {
    await db.destroy();
  }
}

/**
 * One process at a time. Knex marks its lock in a row, which stays marked when a process is killed; ours ends with
 * the connection, and whoever holds it knows that a mark left in the row is nobody's.
 */
const alone = <Result>(
  place: Place,
  work: (migrator: Knex.Migrator, client: pg.Client) => Promise<Result>,
): Promise<Result> =>
  withMigrator(place, async (migrator) => {
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    try {
      while (!(await isTaken(holder))) await sleep(100);
      if (place.schema) await prepare(holder, place.schema);
      await migrator.forceFreeMigrationsLock(config);
      return await work(migrator, holder);
    } finally {
      await holder.end();
    }
  });

/** Extensions belong to the whole database, so they are put where each of its schemas finds them. */
async function prepare(holder: pg.Client, schema: string): Promise<void> {
  await holder.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`);
  for (const extension of ["pg_trgm", "btree_gin"]) {
    await holder.query(`create extension if not exists ${extension} with schema public`);
  }
}

/** It polls: a statement that waits for the lock would block `create index concurrently` in the process that holds it. */
async function isTaken(holder: pg.Client): Promise<boolean> {
  const { rows } = await holder.query("select pg_try_advisory_lock($1) as taken", [advisoryLock]);
  return rows[0]?.taken === true;
}

const placeOf = (place: string | Place): Place => (typeof place === "string" ? { url: place } : place);

/**
 * On Citus functions have forms of their own. In a schema that it has placed, triggers run on the node that holds the rows, in
 * sessions that do not know where the tables are: there each function has to say so. Elsewhere it is not said, since it
 * slows down triggers that are run for each row. Functions that return rows of a table reach the other nodes only once
 * the table is there, so they are made once more.
 */
async function suitCitus(client: pg.Client, { schema }: Place): Promise<void> {
  const { rows: engines } = await client.query("select 1 from pg_extension where extname = 'citus'");
  if (engines.length === 0) return;
  if (schema) await client.query(`set search_path = ${pg.escapeIdentifier(schema)}`);
  // At once: a function that has its form and does not say yet where its tables are would fail.
  await client.query("begin");
  for (const definition of citusFunctions) await client.query(definition);
  const { rows } = await client.query<{ definition: string; pin: string }>(`
    select pg_get_functiondef(p.oid) as definition,
           format('alter function %s set search_path = %I, public', p.oid::regprocedure, current_schema()) as pin
    from pg_dist_schema as placed join pg_proc as p on p.pronamespace = placed.schemaid
    join pg_language as l on l.oid = p.prolang
    where placed.schemaid = current_schema()::regnamespace and p.proconfig is null and p.prokind = 'f'
      and (l.lanname = 'plpgsql' or l.lanname = 'sql' and p.provolatile <> 'i')`);
  for (const { definition, pin } of rows) {
    await client.query(definition);
    await client.query(pin);
  }
  await client.query("commit");
}

const config = { migrationSource: new Migrations(), tableName: "migrations" };
/** A later version may have migrated already: this one works with its schema, too. */
const besideLater = { ...config, disableMigrationsListValidation: true };

/** Brings the schema up to date; the names of the migrations that ran. Safe when two processes do it at once. */
export const migrate = (given: string | Place): Promise<string[]> => {
  const place = placeOf(given);
  return alone(place, async (migrator, client) => {
    const [, names] = await migrator.latest(besideLater);
    await suitCitus(client, place);
    return names;
  });
};

/** Undoes the last batch; the names of the migrations that were undone. */
export const rollback = (place: string | Place): Promise<string[]> =>
  alone(placeOf(place), async (migrator) => (await migrator.rollback(config))[1]);

/** How many migrations of this version the database still lacks. */
export const pendingMigrations = (place: string | Place): Promise<number> =>
  withMigrator(placeOf(place), async (migrator) => (await migrator.list(besideLater))[1].length);

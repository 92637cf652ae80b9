import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Knex } from "knex";
import knex from "knex";
import pg from "pg";
import { citusFunctions } from "./citus-functions.ts";
import { withSingleCommands } from "./single-commands.ts";

/** This relative path leads to the migrations both in the sources and in the build. */
const directory = fileURLToPath(new URL("../../../migrations/", import.meta.url));

/** Names have no file extension, since `.ts` and `.js` are the same migration. */
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

/** An arbitrary number that no other code may use. */
const advisoryLock = 726_300_001;

export interface Place {
  readonly url: string;
  /** Empty for the connection's default schema. */
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
 * Lets one process work at a time, with an advisory lock that ends with the connection. Knex's own lock is a row, which
 * a killed process leaves locked. So the process with the advisory lock first frees Knex's lock.
 */
const withLock = <Result>(
  place: Place,
  work: (migrator: Knex.Migrator, client: pg.Client) => Promise<Result>,
): Promise<Result> =>
  withMigrator(place, async (migrator) => {
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    try {
      while (!(await tryLock(holder))) await sleep(100);
      if (place.schema) await prepare(holder, place.schema);
      await migrator.forceFreeMigrationsLock(config);
      return await work(migrator, holder);
    } finally {
      await holder.end();
    }
  });

/** A database has an extension only once, for all of its schemas, so the extensions are in `public`. */
async function prepare(holder: pg.Client, schema: string): Promise<void> {
  await holder.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`);
  for (const extension of ["pg_trgm", "btree_gin"]) {
    await holder.query(`create extension if not exists ${extension} with schema public`);
  }
}

/** Does not wait: a waiting statement would block `create index concurrently` in the process that has the lock. */
async function tryLock(holder: pg.Client): Promise<boolean> {
  const { rows } = await holder.query("select pg_try_advisory_lock($1) as taken", [advisoryLock]);
  return rows[0]?.taken === true;
}

/**
 * Adapts functions to Citus. Replaces some by `citusFunctions`. In a distributed schema, creates functions again: a
 * function that returns rows of a table reaches other nodes only if it is created after the table. Then stores the
 * search path in these functions, because triggers run on the node of the row, in sessions without the path.
 */
async function suitCitus(client: pg.Client, { schema }: Place): Promise<void> {
  const { rows: engines } = await client.query("select 1 from pg_extension where extname = 'citus'");
  if (engines.length === 0) return;
  if (schema) await client.query(`set search_path = ${pg.escapeIdentifier(schema)}`);
  // One transaction: a function with its new definition but without its search path would fail.
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
/** Accepts a database that has migrations of a later version: this version can use such a schema. */
const withLaterVersions = { ...config, disableMigrationsListValidation: true };

/** Runs missing migrations and returns their names. Several processes may call it at the same time. */
export const migrate = (place: Place): Promise<string[]> =>
  withLock(place, async (migrator, client) => {
    const [, names] = await migrator.latest(withLaterVersions);
    await suitCitus(client, place);
    return names;
  });

/** The names of the migrations that ran together last. */
export const lastBatch = (place: Place): Promise<string[]> =>
  withLock(place, async (migrator, client) => {
    // `list` creates the table of migrations if it is missing.
    await migrator.list(withLaterVersions);
    if (place.schema) await client.query(`set search_path = ${pg.escapeIdentifier(place.schema)}`);
    const text = `select name from ${config.tableName} where batch = (select max(batch) from ${config.tableName})`;
    return (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);
  });

/** Undoes the named migrations that have run, beginning with the last one, and returns their names. */
export const undo = (place: Place, names: readonly string[]): Promise<string[]> =>
  withLock(place, async (migrator) => {
    const [ran]: [{ name: string }[]] = await migrator.list(config);
    const undone = ran.flatMap(({ name }) => (names.includes(name) ? [name] : [])).reverse();
    for (const name of undone) await migrator.down({ ...config, name });
    return undone;
  });

/** Whether undoing these migrations removes all tables. */
export const removeAll = async (names: readonly string[]): Promise<boolean> => {
  const [first = ""] = await config.migrationSource.getMigrations();
  return names.includes(config.migrationSource.getMigrationName(first));
};

/** Whether undoing these migrations removes the tables that say which business is in which cell. */
export const removesDirectory = (names: readonly string[]): boolean =>
  names.some((name) => /_(cells|moves)$/.test(name));

/** The number of migrations of this version that have not run. */
export const pendingMigrations = (place: Place): Promise<number> =>
  withMigrator(place, async (migrator) => (await migrator.list(withLaterVersions))[1].length);

import { readdir } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Knex } from "knex";
import knex from "knex";

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

  getMigration(file: string): Promise<Knex.Migration> {
    return import(pathToFileURL(`${directory}${file}`).href);
  }
}

async function withMigrator<Result>(url: string, work: (migrator: Knex.Migrator) => Promise<Result>): Promise<Result> {
  const db = knex({ client: "pg", connection: url, pool: { min: 0, max: 2 } });
  try {
    return await work(db.migrate);
  } finally {
    await db.destroy();
  }
}

const config = { migrationSource: new Migrations(), tableName: "migrations" };

/** Brings the schema up to date; the names of the migrations that ran. Safe when two processes do it at once. */
export const migrate = (url: string): Promise<string[]> =>
  withMigrator(url, async (migrator) => (await migrator.latest(config))[1]);

/** Undoes the last batch; the names of the migrations that were undone. */
export const rollback = (url: string): Promise<string[]> =>
  withMigrator(url, async (migrator) => (await migrator.rollback(config))[1]);

/** How many migrations the database still lacks. */
export const pendingMigrations = (url: string): Promise<number> =>
  withMigrator(url, async (migrator) => (await migrator.list(config))[1].length);

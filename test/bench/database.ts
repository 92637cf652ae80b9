import pg from "pg";
import { migrate } from "../../src/infra/postgres/migrate.ts";

/** A new migrated database. */
export interface OwnDatabase {
  readonly url: string;
  /** Drops the database, even while clients are connected. */
  drop(): Promise<void>;
}

export async function createDatabase(serverUrl: string, name: string): Promise<OwnDatabase> {
  const drop = () => query(serverUrl, `drop database if exists ${name} with (force)`);
  await drop();
  await query(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  await migrate({ url: url.href });
  return { url: url.href, drop };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

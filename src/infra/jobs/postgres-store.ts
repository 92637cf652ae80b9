import { PostgresBackend } from "@agendajs/postgres-backend";
import pg from "pg";
import { type ClockStore, passiveBackend } from "./store.ts";

/** An advisory lock for creating the tables. */
const creationLock = 7_263_230_001;

/** Stores the entry in the table `agenda_jobs`, which Agenda creates. */
export function postgresStore(url: string, onError: (error: unknown) => void): ClockStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 5_000,
    query_timeout: 12_000,
    keepAlive: true,
    application_name: "recado clock",
    // PgBouncer refuses this setting in the startup message.
    onConnect: async (client) => void (await client.query("set statement_timeout = 10000")),
  });
  // A connection that breaks emits an error on the pool if it is idle, and on its client if it is in use. Without
  // listeners, the error would end the process.
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));

  const backend = new PostgresBackend({ pool, disableNotifications: true });

  /** The lock is needed because concurrent `create table if not exists` statements may fail. */
  async function open(): Promise<void> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock($1)", [creationLock]);
      await backend.connect();
      await client.query("commit");
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return { backend: passiveBackend(backend, onError), open, close: () => pool.end() };
}

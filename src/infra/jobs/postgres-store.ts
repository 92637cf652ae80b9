import { PostgresBackend } from "@agendajs/postgres-backend";
import pg from "pg";
import { type ClockStore, passiveBackend } from "./store.ts";

/** One advisory lock for all processes that create the tables; the number only has to be ours. */
const creationLock = 7_263_230_001;

/** Keeps the entry in the table `agenda_jobs`, which it creates itself. */
export function postgresStore(url: string, onError: (error: unknown) => void): ClockStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 5_000,
    query_timeout: 12_000,
    keepAlive: true,
    application_name: "recado clock",
    // PgBouncer refuses a connection that brings this setting with its first message.
    onConnect: async (client) => void (await client.query("set statement_timeout = 10000")),
  });
  // A connection that breaks tells the pool when it is idle and itself when it is in use; unheard, either ends
  // the process.
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));

  const backend = new PostgresBackend({ pool, disableNotifications: true });

  /** `create table if not exists` fails when two do it at once. */
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

import { PostgresBackend } from "@agendajs/postgres-backend";
import pg from "pg";
import type { Log } from "../../kernel/log.ts";
import { type ClockStore, passiveBackend } from "./store.ts";
import { WakeUps } from "./wake-ups.ts";

/** One advisory lock for all processes that create the tables; the number only has to be ours. */
const creationLock = 7_263_230_001;

/** Keeps the times in the tables `agenda_jobs` and `agenda_logs`, which it creates itself. */
export function postgresStore(url: string, log: Log, onError: (error: unknown) => void): ClockStore {
  const pool = new pg.Pool({
    connectionString: url,
    max: 3,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    query_timeout: 12_000,
    keepAlive: true,
    application_name: "recado clock",
  });
  // A connection that breaks tells the pool when it is idle and itself when it is in use; unheard, either ends
  // the process.
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));

  const backend = new PostgresBackend({ pool, disableNotifications: true });
  const wakeUps = new WakeUps(pool, url, log);

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

  async function close(): Promise<void> {
    await wakeUps.disconnect();
    await pool.end();
  }

  const { name, repository } = backend;
  return {
    backend: passiveBackend({ name, repository, notificationChannel: wakeUps }, onError),
    // Due at once: the library's timers may fire a moment early, and then it waits for its next poll.
    triggerInMs: 0,
    open,
    close,
  };
}

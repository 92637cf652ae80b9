import pg from "pg";
import type { Log } from "../../kernel/log.ts";
import type { StatementNames } from "./database.ts";

/** In session mode a connection keeps one server session; in transaction mode each transaction may get another. */
type Pooler = "none" | "session mode" | "transaction mode";

/** How many times each connection asks which session it has, since a busy pooler may change the session late. */
const rounds = 20;

interface PoolerSettings {
  readonly url: string;
  /** The address without a pooler. Equals `url` if the settings give no such address. */
  readonly directUrl: string;
  readonly statementNames: StatementNames;
}

/**
 * Logs which pooler was found, and throws if the settings do not fit it: some statements would fail, or notifications
 * would be missed. If the server cannot be reached, nothing is checked.
 */
export async function checkPooler({ url, directUrl, statementNames }: PoolerSettings, log: Log): Promise<void> {
  const pooler = await poolerAt(url).catch(() => undefined);
  if (pooler === undefined) return log.warn({}, "the database cannot be reached yet");
  log.info({ pooler, statementNames }, "database found");
  if (pooler !== "transaction mode") return;
  const complaints = [
    ...(statementNames === "on"
      ? ["DATABASE_STATEMENT_NAMES must be off, or kept if the pooler keeps the names of prepared statements"]
      : []),
    ...(directUrl === url ? ["DATABASE_DIRECT_URL must lead to the server itself, for notifications"] : []),
  ];
  if (complaints.length > 0)
    throw new Error(`DATABASE_URL leads to a pooler in transaction mode:\n  ${complaints.join("\n  ")}`);
}

async function poolerAt(url: string): Promise<Pooler> {
  const clients = [1, 2].map(() => new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 }));
  for (const client of clients) client.on("error", () => {});
  try {
    const sessions = new Map<pg.Client, number>();
    for (const client of clients) {
      await client.connect();
      sessions.set(client, await sessionOf(client));
    }
    // A pooler gives its clients process ids of its own instead of the server's.
    if (clients.every((client) => sessions.get(client) === announcedPid(client))) return "none";
    if (new Set(sessions.values()).size < clients.length) return "transaction mode";
    for (let round = 0; round < rounds; round += 1)
      for (const client of clients) if ((await sessionOf(client)) !== sessions.get(client)) return "transaction mode";
    return "session mode";
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

const announcedPid = (client: pg.Client): number => (client as unknown as { readonly processID: number }).processID;

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>({
    text: "select pg_backend_pid() as pid",
    query_timeout: 5_000,
  } as pg.QueryConfig);
  return rows[0]?.pid ?? 0;
}

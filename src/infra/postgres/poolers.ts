import pg from "pg";
import type { Log } from "../../kernel/log.ts";
import type { StatementNames } from "./database.ts";

/** What stands between this process and the server; in session mode a pooler gives a connection one session for good. */
export type Pooler = "none" | "session mode" | "transaction mode";

/** Transactions that are asked which session they are in. A pooler that is busy for others gives now this one, now that. */
const rounds = 20;

interface PoolerSettings {
  readonly url: string;
  /** Empty if there is none of its own. */
  readonly directUrl: string;
  readonly statementNames: StatementNames;
}

/**
 * Says in the log what was found. Throws where the settings do not fit it: statements would fail now and then, or nothing
 * would be heard of what other processes tell. A server that cannot be reached yet is taken for what the settings say.
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
    ...(directUrl === "" ? ["DATABASE_DIRECT_URL must lead to the server itself, for notifications"] : []),
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
    // A pooler tells its clients a number of its own.
    if (clients.every((client) => sessions.get(client) === toldNumber(client))) return "none";
    if (new Set(sessions.values()).size < clients.length) return "transaction mode";
    for (let round = 0; round < rounds; round += 1)
      for (const client of clients) if ((await sessionOf(client)) !== sessions.get(client)) return "transaction mode";
    return "session mode";
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

const toldNumber = (client: pg.Client): number => (client as unknown as { readonly processID: number }).processID;

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>({
    text: "select pg_backend_pid() as pid",
    query_timeout: 5_000,
  } as pg.QueryConfig);
  return rows[0]?.pid ?? 0;
}

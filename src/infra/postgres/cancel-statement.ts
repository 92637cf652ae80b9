import { once } from "node:events";
import type { Socket } from "node:net";
import pg from "pg";

/** What the driver has and its types leave out. */
interface Wire {
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: pg.Connection & {
    readonly stream: Socket;
    connect(port: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processId: number, secretKey: number): void;
  };
}

/**
 * Has the server end the statement that a connection waits for; resolves when the server has taken the request, or cannot
 * be reached. It goes over a connection of its own, as the protocol wants it: `pg_cancel_backend` would need the server's
 * number of the session, and poolers tell their clients another one.
 */
export async function cancelStatementOf(
  client: pg.PoolClient,
  settings: { readonly url: string; readonly connectTimeoutMs: number },
): Promise<void> {
  const { processID, secretKey } = client as unknown as Wire;
  const messenger = new pg.Client({ connectionString: settings.url }) as unknown as Wire;
  const { connection, host, port, ssl } = messenger;
  connection.on("error", () => {});
  connection.on("connect", () => (ssl ? connection.requestSsl() : connection.cancel(processID, secretKey)));
  connection.on("sslconnect", () => connection.cancel(processID, secretKey));
  connection.stream.setTimeout(settings.connectTimeoutMs, () => connection.stream.destroy());
  const closed = once(connection.stream, "close");
  if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await closed.catch(() => {});
}

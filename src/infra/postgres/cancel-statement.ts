import { once } from "node:events";
import type { Socket } from "node:net";
import pg from "pg";

/** Fields of `pg.Client` that its types leave out. */
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
 * Cancels the running statement of a connection. Resolves when the server has taken the request or cannot be reached.
 * Uses the protocol's cancel request: behind a pooler, `pg_cancel_backend` would get the wrong process id.
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

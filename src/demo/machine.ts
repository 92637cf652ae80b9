import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve as pathOf } from "node:path";
import closeWithGrace from "close-with-grace";
import { startEmbeddedPostgres } from "../fixtures/postgres/embedded-postgres.ts";
import { createLog } from "../infra/telemetry/log.ts";
import { reasonOf } from "../infra/telemetry/redact.ts";
import { type Sandbox, type SandboxSettings, startSandbox } from "../sandbox/sandbox.ts";

/** What `make run` and `make stand-ins` share: one machine's ports, folders, database and stand-ins, and their end. */

const { PORT, SANDBOX_PORT, DATABASE_PORT } = process.env;
/** Where those of sandbox and database are taken, any that is free will do. */
export const ports = {
  api: Number(PORT || 3000),
  sandbox: Number(SANDBOX_PORT || 3900),
  database: Number(DATABASE_PORT || 5480),
  media: 3443,
};
/** Where the service listens. */
export const serviceUrl = `http://127.0.0.1:${ports.api}`;
export const directories = { data: ".data", run: ".run", media: ".data/media" };
export const files = {
  secret: `${directories.data}/secret`,
  demo: `${directories.run}/demo.json`,
  env: `${directories.run}/env`,
};
/** Milliseconds that database and stand-ins get to stop in, besides the service's own limit. */
const othersStopLimitMs = 10_000;

export interface Started {
  readonly stop: () => Promise<void>;
  readonly stopLimitMs?: number;
}

/** What was started, in the order in which it was; stopped in the other. */
const started: Started[] = [];
const log = createLog("error");
/** Another run in this folder has its own files there: only what this run wrote, or found left over, is removed. */
let ownsFiles = false;

/** Stopped when the process is. */
export const stopLater = (part: Started): void => void started.push(part);

/** From here on the files in `.run/` are those of this run; the database is held by one run at a time. */
export function ownFiles(): void {
  ownsFiles = true;
  removeFiles();
}

function removeFiles(): void {
  for (const file of [files.demo, files.env]) rmSync(file, { force: true });
}

async function stopAll(): Promise<void> {
  if (ownsFiles) removeFiles();
  for (const part of started.reverse())
    await part.stop().catch((err: unknown) => log.error({ err }, "it does not stop"));
}

/** Runs `work`, then waits for a signal to stop. Everything that `work` started keeps running until the signal comes. */
export async function untilStopped(target: string, work: () => Promise<void>): Promise<void> {
  closeWithGrace(
    { delay: false, logger: { error: (said) => log.error({ err: said }, "it ends") } },
    async ({ err }) => {
      if (err) log.error({ err }, "it stops over an error that nobody caught");
      const limitMs = started.reduce((sum, { stopLimitMs = 0 }) => sum + stopLimitMs, othersStopLimitMs);
      setTimeout(() => process.exit(1), limitMs).unref();
      await stopAll();
    },
  );
  try {
    for (const directory of Object.values(directories)) mkdirSync(directory, { recursive: true });
    await demandFree(ports.api);
    await work();
  } catch (error) {
    const failure = error as { code?: string; port?: number };
    if (failure.code === "EADDRINUSE")
      console.error(`port ${failure.port} is taken: PORT=${Number(failure.port) + 1} make ${target}`);
    else console.error(reasonOf(error));
    await stopAll();
    process.exit(1);
  }
}

/** Rejects when the port is taken: better before a database is started than after. */
async function demandFree(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}

/** Of the environment, or of a server that this run starts, with a database of that name. */
export async function databaseUrl(database: string): Promise<string> {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const server = await startEmbeddedPostgres({
    directory: pathOf(directories.data, "postgres"),
    port: ports.database,
    database,
    log: (line) => console.log(line),
  });
  stopLater(server);
  return server.url;
}

/** Those of the environment, or new ones. */
export const newSecrets = () => ({
  MASTER_SECRET: process.env.MASTER_SECRET || masterSecret(),
  PLATFORM_APP_SECRET: process.env.PLATFORM_APP_SECRET || randomSecret(),
  PLATFORM_VERIFY_TOKEN: process.env.PLATFORM_VERIFY_TOKEN || randomSecret(),
  METRICS_KEY: process.env.METRICS_KEY || randomSecret(),
});

const randomSecret = (): string => randomBytes(16).toString("hex");

/** Kept beside the data, which cannot be read without it. */
function masterSecret(): string {
  try {
    return readFileSync(files.secret, "utf8");
  } catch {
    const secret = randomBytes(32).toString("hex");
    writeFileSync(files.secret, secret, { mode: 0o600 });
    return secret;
  }
}

/** Of the sandbox's Pusher host. */
export const pusherApp = { appId: "demo", key: "demo-key", secret: randomSecret() };

/** The stand-ins for the platforms; their webhooks go to the service on this machine. */
export async function sandboxFor(
  appSecret: string,
  known: Omit<SandboxSettings, "host" | "port" | "webhook">,
): Promise<Sandbox> {
  const webhook = { url: `${serviceUrl}/webhooks/cloud`, appSecret };
  const settings = { host: "127.0.0.1", webhook, pusherApps: [pusherApp], ...known };
  const sandbox = await startSandbox({ ...settings, port: ports.sandbox }).catch((error: { code?: string }) => {
    if (error.code === "EADDRINUSE") return startSandbox({ ...settings, port: 0 });
    throw error;
  });
  stopLater({ stop: () => sandbox.close() });
  return sandbox;
}

/** What commands for the command line need to work on the same data with the same platforms. */
export function writeEnvironment(settings: Readonly<Record<string, string>>): void {
  const env = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(files.env, env.join(""), { mode: 0o600 });
}

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve as pathOf } from "node:path";
import closeWithGrace from "close-with-grace";
import { startEmbeddedPostgres } from "../fixtures/postgres/embedded-postgres.ts";
import { createLog } from "../infra/telemetry/log.ts";
import { reasonOf } from "../infra/telemetry/redact.ts";
import { type Sandbox, type SandboxSettings, startSandbox } from "../sandbox/sandbox.ts";

/** The code that `make run` and `make stand-ins` share. It starts and stops the database and the stand-ins. */

const { PORT, SANDBOX_PORT, DATABASE_PORT } = process.env;
/** Only the port `api` must be free. If another port of the list is taken, any free port is used. */
export const ports = {
  api: Number(PORT || 3000),
  sandbox: Number(SANDBOX_PORT || 3900),
  database: Number(DATABASE_PORT || 5480),
  media: 3443,
};
export const serviceUrl = `http://127.0.0.1:${ports.api}`;
export const directories = { data: ".data", run: ".run", media: ".data/media" };
export const files = {
  secret: `${directories.data}/secret`,
  demo: `${directories.run}/demo.json`,
  env: `${directories.run}/env`,
};
/** Milliseconds in which the database and the stand-ins must stop, in addition to the service's own limit. */
const othersStopLimitMs = 10_000;

interface Started {
  readonly stop: () => Promise<void>;
  readonly stopLimitMs?: number;
}

/** Everything that was started, in order. It is stopped in reverse order. */
const started: Started[] = [];
const log = createLog("error");
/** Whether the files in `.run/` belong to this run. If not, another run may need them, so they must not be removed. */
let ownsFiles = false;

export const stopLater = (part: Started): void => void started.push(part);

/**
 * Call this after `databaseUrl`, which rejects if another run uses the embedded database. The files of that run then
 * stay in `.run/`.
 */
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
    await part.stop().catch((err: unknown) => log.error({ err }, "a part of the demo did not stop"));
}

/** Runs `work`, then waits for a signal. Everything that `work` started keeps running until the signal comes. */
export async function untilStopped(target: string, work: () => Promise<void>): Promise<void> {
  closeWithGrace(
    { delay: false, logger: { error: (said) => log.error({ err: said }, "the demo ends") } },
    async ({ err }) => {
      if (err) log.error({ err }, "the demo stops because of an uncaught error");
      const limitMs = started.reduce((sum, { stopLimitMs = 0 }) => sum + stopLimitMs, othersStopLimitMs);
      setTimeout(() => process.exit(1), limitMs).unref();
      await stopAll();
    },
  );
  try {
    for (const directory of Object.values(directories)) mkdirSync(directory, { recursive: true });
    await requireFree(ports.api);
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

/** Rejects if the port is taken. This is checked before a database is started. */
async function requireFree(port: number): Promise<void> {
  const probe = createServer();
  await once(probe.listen(port, "127.0.0.1"), "listening");
  await once(probe.close(), "close");
}

/** `DATABASE_URL` if it is set. Otherwise starts an embedded server with a database of this name. */
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

export const newSecrets = () => ({
  MASTER_SECRET: process.env.MASTER_SECRET || masterSecret(),
  PLATFORM_APP_SECRET: process.env.PLATFORM_APP_SECRET || randomSecret(),
  PLATFORM_VERIFY_TOKEN: process.env.PLATFORM_VERIFY_TOKEN || randomSecret(),
  METRICS_KEY: process.env.METRICS_KEY || randomSecret(),
});

const randomSecret = (): string => randomBytes(16).toString("hex");

/** The secret is stored beside the data, because the data cannot be decrypted without it. */
function masterSecret(): string {
  try {
    return readFileSync(files.secret, "utf8");
  } catch {
    const secret = randomBytes(32).toString("hex");
    writeFileSync(files.secret, secret, { mode: 0o600 });
    return secret;
  }
}

export const pusherApp = { appId: "demo", key: "demo-key", secret: randomSecret() };

/** Starts the stand-ins for the platforms. Their webhooks go to the service on this machine. */
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

/** Writes the environment for commands that use the same data and platforms. */
export function writeEnvironment(settings: Readonly<Record<string, string>>): void {
  const env = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(files.env, env.join(""), { mode: 0o600 });
}

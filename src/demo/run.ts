import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve as pathOf } from "node:path";
import closeWithGrace from "close-with-grace";
import { type Config, readConfig } from "../bootstrap/config.ts";
import { createContainer } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { type Service, startService } from "../bootstrap/service.ts";
import { tokens } from "../bootstrap/tokens.ts";
import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { platformsAt, pusherAt, sandboxAccountsOf, sandboxAdAccountsOf } from "../fixtures/businesses/platforms.ts";
import { startEmbeddedPostgres } from "../fixtures/postgres/embedded-postgres.ts";
import { migrate } from "../infra/postgres/migrate.ts";
import { createLog } from "../infra/telemetry/log.ts";
import { reasonOf } from "../infra/telemetry/redact.ts";
import { type ChannelName, pageChannel, photoChannel, providerBChannel, qrChannel } from "../kernel/channels.ts";
import { requiredParameters } from "../messaging/domain/template.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox.ts";
import { demoBusinesses } from "./data.ts";
import { type DemoAccess, demoDescription, giveAccess } from "./description.ts";
import { placeFiles } from "./files.ts";
import { startHttpsFront } from "./https-front.ts";
import { isDemo, seedDemo } from "./seed.ts";
import { printWelcome } from "./welcome.ts";

/** Everything on one machine: database, demo data, stand-ins for the platforms, and the service itself. */

const { PORT, SANDBOX_PORT, DATABASE_PORT } = process.env;
/** Where those of sandbox and database are taken, any that is free will do. */
const ports = {
  api: Number(PORT || 3000),
  sandbox: Number(SANDBOX_PORT || 3900),
  database: Number(DATABASE_PORT || 5480),
  media: 3443,
};
const directories = { data: ".data", run: ".run", media: ".data/media" };
const files = {
  secret: `${directories.data}/secret`,
  demo: `${directories.run}/demo.json`,
  env: `${directories.run}/env`,
};
/** Milliseconds that database and stand-ins get to stop in, besides the service's own limit. */
const othersStopLimitMs = 10_000;

interface Started {
  readonly stop: () => Promise<void>;
  readonly stopLimitMs?: number;
}

/** What was started, in the order in which it was; stopped in the other. */
const started: Started[] = [];
const log = createLog("error");
/** Another run in this folder has its own files there: only what this run wrote, or found left over, is removed. */
let ownsFiles = false;

function removeFiles(): void {
  for (const file of [files.demo, files.env]) rmSync(file, { force: true });
}

async function stopAll(): Promise<void> {
  if (ownsFiles) removeFiles();
  for (const part of started.reverse())
    await part.stop().catch((err: unknown) => log.error({ err }, "it does not stop"));
}

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

async function databaseUrl(): Promise<string> {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const server = await startEmbeddedPostgres({
    directory: pathOf(directories.data, "postgres"),
    port: ports.database,
    database: "recado",
    log: (line) => console.log(line),
  });
  started.push(server);
  return server.url;
}

async function sandboxFor(businesses: readonly BusinessFixture[], webhook: { url: string; appSecret: string }) {
  const settings = {
    host: "127.0.0.1",
    webhook,
    accounts: sandboxAccountsOf(businesses).map((account, index) => ({
      ...account,
      // The demo's conversations are alive, whenever it was seeded.
      people: businesses[index]?.threads.map(({ phone }) => phone),
    })),
    ...otherPlatforms(businesses),
    pusherApps: [pusherApp],
    adAccounts: sandboxAdAccountsOf(businesses),
  };
  const sandbox = await startSandbox({ ...settings, port: ports.sandbox }).catch((error: { code?: string }) => {
    if (error.code === "EADDRINUSE") return startSandbox({ ...settings, port: 0 });
    throw error;
  });
  started.push({ stop: () => sandbox.close() });
  return sandbox;
}

/** The platforms of the other channels, as the businesses use them. */
function otherPlatforms(businesses: readonly BusinessFixture[]) {
  const onChannel = (channel: ChannelName) =>
    businesses.flatMap((business) =>
      (business.otherSenders ?? [])
        .filter((sender) => sender.channel === channel)
        .map((sender) => ({ ...sender, business })),
    );
  const pages = ([pageChannel, photoChannel] as const).flatMap((channel) =>
    onChannel(channel).map(({ platformId: pageId, token, business }) => ({
      pageId,
      token,
      channel,
      people: business.threads.filter((thread) => thread.channel === channel).map(({ phone }) => phone),
    })),
  );
  const qrInstances = onChannel(qrChannel).map(({ platformId, token }) => ({ instance: platformId, apiKey: token }));
  const providerB = onChannel(providerBChannel).map(({ accountId, token, phone, business }) => ({
    accountId,
    token,
    phone,
    templates: business.templates.flatMap(({ providerBId, body }) =>
      providerBId ? [{ contentId: providerBId, variables: requiredParameters({ structure: null, body }) }] : [],
    ),
  }));
  return { pages, qrInstances, providerB };
}

interface Demo {
  readonly config: Config;
  /** Of the environment, as this run chose them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly service: Service;
  readonly sandbox: Sandbox | null;
  readonly businesses: readonly BusinessFixture[];
  readonly access: DemoAccess;
}

/** Rejects when the port is taken: better before a database is started than after. */
async function demandFree(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}

/** Of the sandbox's Pusher host. */
const pusherApp = { appId: "demo", key: "demo-key", secret: randomBytes(16).toString("hex") };

/** The sandbox stands in for the platforms whose URL is not set. */
function platformsOf(url: string): Record<string, string> {
  const standIns = Object.entries(platformsAt(url)).map(([name, value]) => [name, process.env[name] || value]);
  return { ...Object.fromEntries(standIns), ...(process.env.PUSHER_HOST ? {} : pusherAt(url, pusherApp)) };
}

/** Where files go and are found, unless somebody else keeps them. */
async function mediaOf(): Promise<Record<string, string>> {
  if (process.env.MEDIA_BASE_URL) return {};
  const front = await startHttpsFront(ports.media, ports.api);
  started.push({ stop: () => front.close() });
  return { MEDIA_BASE_URL: `${front.url}/media/`, MEDIA_DIR: process.env.MEDIA_DIR || directories.media };
}

async function start(): Promise<Demo> {
  for (const directory of Object.values(directories)) mkdirSync(directory, { recursive: true });
  await demandFree(ports.api);
  const url = await databaseUrl();
  ownsFiles = true;
  removeFiles();
  await migrate(url);

  const secrets = {
    MASTER_SECRET: process.env.MASTER_SECRET || masterSecret(),
    PLATFORM_APP_SECRET: process.env.PLATFORM_APP_SECRET || randomBytes(16).toString("hex"),
    PLATFORM_VERIFY_TOKEN: process.env.PLATFORM_VERIFY_TOKEN || randomBytes(16).toString("hex"),
    METRICS_KEY: process.env.METRICS_KEY || randomBytes(16).toString("hex"),
  };
  const businesses = demoBusinesses(new Date());
  const webhook = { url: `http://127.0.0.1:${ports.api}/webhooks/cloud`, appSecret: secrets.PLATFORM_APP_SECRET };
  const sandbox = process.env.MESSAGING_PLATFORM_URL ? null : await sandboxFor(businesses, webhook);
  const settings = {
    ...secrets,
    DATABASE_URL: url,
    ...(await mediaOf()),
    ...(sandbox ? platformsOf(sandbox.url) : {}),
  };
  const config = readConfig({
    LOG_LEVEL: "warn",
    HOST_ADDRESS: "127.0.0.1",
    ...process.env,
    ...settings,
    PORT: String(ports.api),
  });

  const container = createContainer(config);
  const database = resolve(container, tokens.database);
  await seedDemo(database, resolve(container, tokens.secrets), new Date());
  if (!(await isDemo(database))) {
    await database.close();
    throw new Error("DATABASE_URL holds other data than the demo; `make start` serves it");
  }
  await placeFiles(container, 1, `http://127.0.0.1:${ports.api}`);
  const access = await giveAccess(container, businesses);
  const service = await startService(config, container);
  started.push(service);
  return { config, settings, service, sandbox, businesses, access };
}

closeWithGrace({ delay: false, logger: { error: (said) => log.error({ err: said }, "it ends") } }, async ({ err }) => {
  if (err) log.error({ err }, "it stops over an error that nobody caught");
  const limitMs = started.reduce((sum, { stopLimitMs = 0 }) => sum + stopLimitMs, othersStopLimitMs);
  setTimeout(() => process.exit(1), limitMs).unref();
  await stopAll();
});

try {
  const { config, settings, service, sandbox, businesses, access } = await start();
  const description = demoDescription({
    api: `http://127.0.0.1:${service.port}`,
    sandbox: sandbox?.url ?? null,
    databaseUrl: config.database.url,
    businesses,
    access,
  });
  // What commands for the command line need to work on the same data with the same platforms.
  const env = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(files.env, env.join(""), { mode: 0o600 });
  writeFileSync(files.demo, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  printWelcome(description, config.metricsKey);
} catch (error) {
  const failure = error as { code?: string; port?: number };
  if (failure.code === "EADDRINUSE")
    console.error(`port ${failure.port} is taken: PORT=${Number(failure.port) + 1} make run`);
  else console.error(reasonOf(error));
  await stopAll();
  process.exit(1);
}

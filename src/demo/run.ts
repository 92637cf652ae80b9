import { writeFileSync } from "node:fs";
import { type Config, readConfig } from "../bootstrap/config.ts";
import { createContainer } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { type Service, startService } from "../bootstrap/service.ts";
import { tokens } from "../bootstrap/tokens.ts";
import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { platformsAt, pusherAt } from "../fixtures/businesses/platforms.ts";
import { migrate } from "../infra/postgres/migrate.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { demoBusinesses } from "./data.ts";
import { type DemoAccess, demoDescription, giveAccess } from "./description.ts";
import { placeFiles, storeFiles } from "./files.ts";
import { startHttpsFront } from "./https-front.ts";
import {
  databaseUrl,
  directories,
  files,
  newSecrets,
  ownFiles,
  ports,
  pusherApp,
  sandboxFor,
  serviceUrl,
  stopLater,
  untilStopped,
  writeEnvironment,
} from "./machine.ts";
import { makeDemo, requireDemo } from "./seed.ts";
import { standInSettings, submittedTemplates } from "./stand-in-settings.ts";
import { printWelcome } from "./welcome.ts";

/** The demo on one machine: database, data, stand-ins for the platforms, and the service. */

interface Demo {
  readonly config: Config;
  /** The environment variables that this run has chosen. */
  readonly settings: Readonly<Record<string, string>>;
  readonly service: Service;
  readonly sandbox: Sandbox | null;
  readonly businesses: readonly BusinessFixture[];
  readonly access: DemoAccess;
}

/** The sandbox replaces the platforms whose URL is not set. */
function platformsOf(url: string): Record<string, string> {
  const standIns = Object.entries(platformsAt(url)).map(([name, value]) => [name, process.env[name] || value]);
  return { ...Object.fromEntries(standIns), ...(process.env.PUSHER_HOST ? {} : pusherAt(url, pusherApp)) };
}

/** The environment variables for storing and serving files; none if `MEDIA_BASE_URL` is set. */
async function mediaOf(): Promise<Record<string, string>> {
  if (process.env.MEDIA_BASE_URL) return {};
  const front = await startHttpsFront(ports.media, ports.api);
  stopLater({ stop: () => front.close() });
  return { MEDIA_BASE_URL: `${front.url}/media/`, MEDIA_DIR: process.env.MEDIA_DIR || directories.media };
}

async function start(): Promise<Demo> {
  const url = await databaseUrl("recado");
  ownFiles();
  await migrate({ url });

  const secrets = newSecrets();
  const businesses = demoBusinesses(new Date());
  const sandbox = process.env.MESSAGING_PLATFORM_URL
    ? null
    : await sandboxFor(
        secrets.PLATFORM_APP_SECRET,
        standInSettings(businesses, await submittedTemplates(url), serviceUrl),
      );
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
  await requireDemo(database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const service = await startService(config, { container });
  stopLater(service);
  const api = `http://127.0.0.1:${service.port}`;
  await makeDemo({ container, api, sandbox: sandbox?.url ?? null }, businesses, new Date());
  await storeFiles(container, 1);
  await placeFiles(container, api);
  const access = await giveAccess(container, api, businesses);
  return { config, settings, service, sandbox, businesses, access };
}

await untilStopped("run", async () => {
  const { config, settings, service, sandbox, businesses, access } = await start();
  const description = demoDescription({
    api: `http://127.0.0.1:${service.port}`,
    sandbox: sandbox?.url ?? null,
    databaseUrl: config.database.url,
    businesses,
    access,
  });
  writeEnvironment(settings);
  writeFileSync(files.demo, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  printWelcome(description, config.metricsKey);
});

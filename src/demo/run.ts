import { writeFileSync } from "node:fs";
import { readConfig } from "../bootstrap/config.ts";
import { createContainer } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { startService } from "../bootstrap/service.ts";
import { tokens } from "../bootstrap/tokens.ts";
import { platformsAt, pusherAt } from "../fixtures/businesses/platforms.ts";
import { migrate } from "../infra/postgres/migrate.ts";
import { demoBusinesses } from "./data.ts";
import { demoDescription, giveAccess } from "./description.ts";
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

await untilStopped("run", async () => {
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
  /** The environment variables that this run has chosen. */
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
  const addresses = { api: `http://127.0.0.1:${service.port}`, sandbox: sandbox?.url ?? null };
  await makeDemo({ container, ...addresses }, businesses, new Date());
  await storeFiles(container, 1);
  await placeFiles(container, addresses.api);
  const access = await giveAccess(container, addresses.api, businesses);
  const description = demoDescription({ ...addresses, databaseUrl: url, businesses, access });
  writeEnvironment(settings);
  writeFileSync(files.demo, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  printWelcome(description, config.metricsKey);
});

import { writeFileSync } from "node:fs";
import { type Config, readConfig } from "../bootstrap/config.ts";
import { createContainer } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { type Service, startService } from "../bootstrap/service.ts";
import { tokens } from "../bootstrap/tokens.ts";
import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { platformsAt, pusherAt, sandboxAccountsOf, sandboxAdAccountsOf } from "../fixtures/businesses/platforms.ts";
import { migrate } from "../infra/postgres/migrate.ts";
import { type ChannelName, pageChannel, photoChannel, providerBChannel, qrChannel } from "../kernel/channels.ts";
import { requiredParameters } from "../messaging/domain/template.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { demoBusinesses } from "./data.ts";
import { type DemoAccess, demoDescription, giveAccess } from "./description.ts";
import { placeFiles } from "./files.ts";
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
  stopLater,
  untilStopped,
  writeEnvironment,
} from "./machine.ts";
import { isDemo, seedDemo } from "./seed.ts";
import { printWelcome } from "./welcome.ts";

/** Everything on one machine: database, demo data, stand-ins for the platforms, and the service itself. */

/** What the stand-ins know of the businesses. */
const knownOf = (businesses: readonly BusinessFixture[]) => ({
  accounts: sandboxAccountsOf(businesses).map((account, index) => ({
    ...account,
    // The demo's conversations are alive, whenever it was seeded.
    people: businesses[index]?.threads.map(({ phone }) => phone),
  })),
  ...otherPlatforms(businesses),
  adAccounts: sandboxAdAccountsOf(businesses),
});

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

/** The sandbox stands in for the platforms whose URL is not set. */
function platformsOf(url: string): Record<string, string> {
  const standIns = Object.entries(platformsAt(url)).map(([name, value]) => [name, process.env[name] || value]);
  return { ...Object.fromEntries(standIns), ...(process.env.PUSHER_HOST ? {} : pusherAt(url, pusherApp)) };
}

/** Where files go and are found, unless somebody else keeps them. */
async function mediaOf(): Promise<Record<string, string>> {
  if (process.env.MEDIA_BASE_URL) return {};
  const front = await startHttpsFront(ports.media, ports.api);
  stopLater({ stop: () => front.close() });
  return { MEDIA_BASE_URL: `${front.url}/media/`, MEDIA_DIR: process.env.MEDIA_DIR || directories.media };
}

async function start(): Promise<Demo> {
  const url = await databaseUrl("recado");
  ownFiles();
  await migrate(url);

  const secrets = newSecrets();
  const businesses = demoBusinesses(new Date());
  const sandbox = process.env.MESSAGING_PLATFORM_URL
    ? null
    : await sandboxFor(secrets.PLATFORM_APP_SECRET, knownOf(businesses));
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
  stopLater(service);
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

import { Container } from "inversify";
import { Passwords } from "../infra/crypto/passwords.ts";
import { Secrets } from "../infra/crypto/secrets.ts";
import { openLanes } from "../infra/http/routing/lanes.ts";
import { HttpClient } from "../infra/http-client/http-client.ts";
import { PostgresIdempotencyStore } from "../infra/postgres/idempotency-store.ts";
import { createLog } from "../infra/telemetry/log.ts";
import { Metrics } from "../infra/telemetry/metrics.ts";
import { administrationModule } from "./administration.module.ts";
import { adsModule } from "./ads.module.ts";
import { campaignsModule } from "./campaigns.module.ts";
import { cellsModule } from "./cells.module.ts";
import type { Config } from "./config.ts";
import { consoleModule } from "./console.module.ts";
import { contactsModule } from "./contacts.module.ts";
import { inboxModule } from "./inbox.module.ts";
import { incomingModule } from "./incoming.module.ts";
import { mediaModule } from "./media.module.ts";
import { messagingModule } from "./messaging.module.ts";
import { movesModule } from "./moves.module.ts";
import { ordersModule } from "./orders.module.ts";
import { moduleOf } from "./provide.ts";
import { realtimeModule } from "./realtime.module.ts";
import { receivingModule } from "./receiving.module.ts";
import { reportsModule } from "./reports.module.ts";
import { tenancyModule } from "./tenancy.module.ts";
import { webhooksModule } from "./webhooks.module.ts";

export type { Container };

/** All services of a process. Each is built on first use; nothing is opened or started here. */
export function createContainer(config: Config): Container {
  const container = new Container({ defaultScope: "Singleton" });
  container.load(
    sharedModule(config),
    realtimeModule(config),
    cellsModule(config),
    movesModule(config),
    tenancyModule,
    administrationModule,
    inboxModule,
    incomingModule,
    receivingModule,
    consoleModule,
    contactsModule,
    messagingModule,
    campaignsModule,
    ordersModule,
    reportsModule,
    adsModule,
    mediaModule,
    webhooksModule,
  );
  return container;
}

const sharedModule = (config: Config) =>
  moduleOf(({ provide, provideTick, provideBackground }) => {
    provide("config", () => config);
    provide("log", () => createLog(config.logLevel));
    provide("metrics", () => new Metrics(config.metricsKey !== ""));
    provide("secrets", () => new Secrets(config.secrets.master));
    provide("passwords", () => new Passwords());
    provide("lanes", () => openLanes());
    provideBackground("lanes", "means", ({ lanes, metrics }) => ({
      start: () => {
        for (const [name, lane] of Object.entries(lanes)) {
          metrics.gauge(`lane_${name}`, `Slow work of the kind ${name}`, () => ({ ...lane.stats() }));
        }
      },
    }));
    provide("idempotency", ({ cells }) => new PostgresIdempotencyStore(cells, config.idempotency.leaseSeconds));
    provideTick("idempotency.purge", 3600, ({ idempotency }, signal) => idempotency.purge(signal));
    provide("httpClient", () => new HttpClient({ maxSockets: config.messagingPlatform.connections }));
    provideBackground("HTTP client", "means", ({ httpClient }) => ({ stop: () => httpClient.close() }));
  });

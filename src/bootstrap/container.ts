import { Container } from "inversify";
import { PostgresLiveViews } from "../inbox/adapters/postgres/live-views.ts";
import { chatPresence } from "../inbox/adapters/realtime/chat-presence.ts";
import { ChatVisibility } from "../inbox/adapters/realtime/chat-visibility.ts";
import { Passwords } from "../infra/crypto/passwords.ts";
import { Secrets } from "../infra/crypto/secrets.ts";
import { networkOf } from "../infra/http/addresses.ts";
import { openLanes } from "../infra/http/routing/lanes.ts";
import { trustedProxies } from "../infra/http/trusted-proxies.ts";
import { HttpClient } from "../infra/http-client/http-client.ts";
import { PostgresEventLog } from "../infra/postgres/event-log.ts";
import { PostgresIdempotencyStore } from "../infra/postgres/idempotency-store.ts";
import { RealtimeGateway } from "../infra/realtime/gateway.ts";
import { RealtimePublisher } from "../infra/realtime/peers.ts";
import { createLog } from "../infra/telemetry/log.ts";
import { Metrics } from "../infra/telemetry/metrics.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { NudgedLoop } from "../kernel/nudged-loop.ts";
import { isPushed } from "../orders/public.ts";
import type { KeyAccess } from "../tenancy/public.ts";
import { NudgingFeed } from "../webhooks/public.ts";
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
import { receivingModule } from "./receiving.module.ts";
import { reportsModule } from "./reports.module.ts";
import { tenancyModule } from "./tenancy.module.ts";
import { deliveriesDue, webhooksModule } from "./webhooks.module.ts";
import { toWire } from "./wire-events.ts";

export type { Container };

/** All services of a process. Each is built on first use; nothing is opened or started here. */
export function createContainer(config: Config): Container {
  const container = new Container({ defaultScope: "Singleton" });
  container.load(
    sharedModule(config),
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

/** Milliseconds: events wake the delivery loop at most once in this time. */
const nudgeEveryMs = 100;

/** Splits a comma-separated environment variable. */
export const listOf = (text: string): string[] => text.split(",").flatMap((item) => item.trim() || []);

const sharedModule = (config: Config) =>
  moduleOf(({ provide, provideTick, provideBackground }) => {
    provide("config", [], () => config);
    provide("log", [], () => createLog(config.logLevel));
    provide("metrics", [], () => new Metrics(config.metricsKey !== ""));
    provide("secrets", [], () => new Secrets(config.secrets.master));
    provide("passwords", [], () => new Passwords());
    provide("lanes", [], () => openLanes());
    provide("eventLog", ["cells"], (cells) => new PostgresEventLog(cells));
    provideBackground("lanes", "means", ["lanes", "metrics"], (lanes, metrics) => ({
      start: () => {
        for (const [name, lane] of Object.entries(lanes)) {
          metrics.gauge(`lane_${name}`, `Slow work of the kind ${name}`, () => ({ ...lane.stats() }));
        }
      },
    }));
    provide("idempotency", ["cells"], (cells) => new PostgresIdempotencyStore(cells, config.idempotency.leaseSeconds));
    provideTick("idempotency.purge", 3600, ["idempotency"], (idempotency, signal) => idempotency.purge(signal));
    provideTick("events.purge", 600, ["eventLog"], (eventLog) => eventLog.purge(config.realtime.keepEventsHours));
    provide("httpClient", [], () => new HttpClient({ maxSockets: config.messagingPlatform.connections }));
    provideBackground("HTTP client", "means", ["httpClient"], (client) => ({ stop: () => client.close() }));

    const proxies = trustedProxies(config.http.trustProxy);
    const hasPusher = config.pusher.host !== "";
    const peers = config.redisUrl === "" ? {} : { redisUrl: config.redisUrl };
    provide(
      "gateway",
      ["eventLog", "cells", "sessions", "appKeyStore", "notifications", "log"],
      (eventLog, cells, sessions, keys, notifications, logger) => {
        const gateway = new RealtimeGateway({
          log: eventLog,
          addressOf: (request) => networkOf(proxies.addressOf(request)),
          maxClients: config.http.connections,
          maxClientsPerAddress: config.http.connectionsPerAddress,
          hostOf: (request) => proxies.hostOf(request),
          authenticate: (token) => sessions.userOf(token),
          authenticateKey: async (key) => programOf(await keys.accessOf(key, "sockets")),
          visibility: new ChatVisibility(new PostgresLiveViews(cells)),
          presence: chatPresence,
          translate: (event) => (hasPusher && isPushed(event) ? null : toWire(event)),
          corsOrigins: listOf(config.http.corsOrigins),
          logger,
          ...peers,
        });
        notifications.on("access_changed", (businessId) => void gateway.recheck(Number(businessId)));
        notifications.on("views_changed", (businessId) => void gateway.recheckViews(Number(businessId)));
        notifications.onGap((concerns) => void gateway.recheckAfterGap(concerns));
        return gateway;
      },
    );
    provide("publisher", ["log"], (logger) => new RealtimePublisher({ logger, ...peers }));
    if (config.role === "worker") {
      provideBackground("publisher", "means", ["publisher"], (publisher) => ({
        start: () => publisher.start(),
        stop: () => publisher.close(),
      }));
    } else {
      provideBackground("realtime", "means", ["gateway", "metrics"], (gateway, metrics) => ({
        start: () => metrics.gauge("realtime_clients", "Sockets", () => ({ ...gateway.stats() })),
      }));
    }
    const sockets = config.role === "worker" ? "publisher" : "gateway";
    provide("feed", [sockets, "pushLoop", "notifications"], (feed, pushLoop, notifications) => {
      const nudge = () => notifications.notify(deliveriesDue);
      return new NudgingFeed(hasPusher ? pushing(feed, pushLoop) : feed, nudge, nudgeEveryMs);
    });
  });

/** The business of an App Key for sockets. As for requests, it needs an administrator. */
const programOf = (access: KeyAccess | null) =>
  access?.hasAdministrator
    ? {
        businessId: access.businessId,
        userId: null,
        keyId: access.keyId,
        mayNotRead: !access.scopes.includes("read"),
        ...(access.expiresAt && { expiresAt: access.expiresAt }),
      }
    : null;

const pushing = (sockets: EventFeed, loop: NudgedLoop): EventFeed => ({
  publish: (events) => {
    sockets.publish(events);
    if (events.some(isPushed)) loop.nudge();
  },
});

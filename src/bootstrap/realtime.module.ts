import { PostgresLiveViews } from "../inbox/adapters/postgres/reading/live-views.ts";
import { chatPresence } from "../inbox/adapters/realtime/chat-presence.ts";
import { ChatVisibility } from "../inbox/adapters/realtime/chat-visibility.ts";
import { networkOf } from "../infra/http/addresses.ts";
import { trustedProxies } from "../infra/http/trusted-proxies.ts";
import { PostgresEventLog } from "../infra/postgres/event-log.ts";
import { RealtimeGateway } from "../infra/realtime/gateway.ts";
import { RealtimePublisher } from "../infra/realtime/peers.ts";
import type { EventFeed } from "../kernel/events.ts";
import type { NudgedLoop } from "../kernel/nudged-loop.ts";
import { isPushed } from "../orders/public.ts";
import type { KeyAccess } from "../tenancy/public.ts";
import { NudgingFeed } from "../webhooks/public.ts";
import { type Config, listOf } from "./config.ts";
import { moduleOf } from "./provide.ts";
import { deliveriesDue } from "./webhooks.module.ts";
import { toWire } from "./wire-events.ts";

/** Events wake the delivery loop at most once in this many milliseconds. */
const nudgeEveryMs = 100;

/** Tells sockets, the Pusher host and the webhooks of businesses about committed events. */
export const realtimeModule = (config: Config) =>
  moduleOf(({ provide, provideTick, provideBackground }) => {
    provide("eventLog", ({ cells }) => new PostgresEventLog(cells));
    provideTick("events.purge", 600, ({ eventLog }, signal) => eventLog.purge(config.realtime.keepEventsHours, signal));
    const proxies = trustedProxies(config.http.trustProxy);
    const hasPusher = config.pusher.host !== "";
    const peers = config.redisUrl === "" ? {} : { redisUrl: config.redisUrl };
    provide("gateway", ({ eventLog, cells, sessions, appKeyStore, notifications, metrics, log }) => {
      const gateway = new RealtimeGateway({
        log: eventLog,
        addressOf: (request) => networkOf(proxies.addressOf(request)),
        maxClients: config.http.connections,
        maxClientsPerAddress: config.http.connectionsPerAddress,
        hostOf: (request) => proxies.hostOf(request),
        authenticate: (token) => sessions.userOf(token),
        authenticateKey: async (key) => programOf(await appKeyStore.accessOf(key, "sockets")),
        visibility: new ChatVisibility(new PostgresLiveViews(cells)),
        presence: chatPresence,
        translate: (event) => (hasPusher && isPushed(event) ? null : toWire(event)),
        corsOrigins: listOf(config.http.corsOrigins),
        logger: log,
        onRefusal: metrics.countRefusal,
        ...peers,
      });
      notifications.on("access_changed", (businessId) => void gateway.recheck(Number(businessId)));
      notifications.on("views_changed", (businessId) => void gateway.recheckViews(Number(businessId)));
      notifications.onGap((concerns) => void gateway.recheckAfterGap(concerns));
      return gateway;
    });
    provide("publisher", ({ log }) => new RealtimePublisher({ logger: log, ...peers }));
    if (config.role === "worker") {
      provideBackground("publisher", "means", ({ publisher }) => ({
        start: () => publisher.start(),
        stop: () => publisher.close(),
      }));
    } else {
      provideBackground("realtime", "means", ({ gateway, metrics }) => ({
        start: () => metrics.gauge("realtime_clients", "Sockets", () => ({ ...gateway.stats() })),
      }));
    }
    provide("feed", (services) => {
      const { pushLoop, notifications } = services;
      const feed = config.role === "worker" ? services.publisher : services.gateway;
      const nudge = () => notifications.notify(deliveriesDue);
      return new NudgingFeed(hasPusher ? pushing(feed, pushLoop) : feed, nudge, nudgeEveryMs);
    });
  });

/** The identity of a socket client with an App Key. As with requests, the key's business must have an administrator. */
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

import type { Container } from "inversify";
import { createApp } from "../infra/http/app.ts";
import { limitRate } from "../infra/http/middleware/rate-limit.ts";
import { docsRoutes } from "../infra/http/openapi/docs.ts";
import { openApiDocument, openApiRoute } from "../infra/http/openapi/openapi.ts";
import { operationsRoutes } from "../infra/http/operations.ts";
import type { Route } from "../infra/http/routing/route.ts";
import { closeServer, createServer, handlersEnded, listen } from "../infra/http/server.ts";
import { createAgendaClock } from "../infra/jobs/agenda-clock.ts";
import { Database } from "../infra/postgres/database.ts";
import { pendingMigrations } from "../infra/postgres/migrate.ts";
import { cached } from "../kernel/cached.ts";
import type { Config } from "./config.ts";
import { createContainer, listOf } from "./container.ts";
import { resolve, resolveAll } from "./provide.ts";
import { tokens } from "./tokens.ts";

export interface Service {
  readonly port: number;
  readonly container: Container;
  /** Takes nothing new, finishes what is under way, then closes what it opened. */
  stop(): Promise<void>;
  /** Milliseconds that `stop` takes at most, unless something hangs. */
  readonly stopLimitMs: number;
}

/** Milliseconds that requests under way get to end: more than the platform may take to answer one of ours. */
export const graceMsOf = ({ messagingPlatform }: Config): number => messagingPlatform.timeoutMs + 5_000;
/** Milliseconds beyond that for everything else to end. */
const windUpMs = 10_000;
/** Milliseconds: what answers later does not answer. */
const probeLimits = { statementTimeoutMs: 1_000, connectTimeoutMs: 1_000, silenceMs: 0 };
/** Milliseconds for which figures from the database are good, however often they are asked for. */
const gaugeLifeMs = 5_000;

/** The API's routes and, where it is one, everything that documents them. */
export function apiRoutes(container: Container): Route[] {
  const routes = resolveAll(container, tokens.routes).flat();
  const document = openApiDocument(routes, {
    title: "Recado",
    version: "0.1.0",
  });
  return [...routes, openApiRoute(document), ...docsRoutes("Recado API")];
}

/** One process of the role that the configuration names; resolves once it answers requests. */
export async function startService(config: Config, container = createContainer(config)): Promise<Service> {
  const log = resolve(container, tokens.log);
  const metrics = resolve(container, tokens.metrics);
  const database = resolve(container, tokens.database);
  const accessChanges = resolve(container, tokens.accessChanges);
  const webhookLoop = resolve(container, tokens.webhookLoop);
  const servesApi = config.role !== "worker";
  const worksJobs = config.role !== "api";

  metrics.gauge("database_connections", "Connections of this process", () => ({ ...database.stats() }));
  const webhooks = cached(gaugeLifeMs, () => resolve(container, tokens.webhookQueue).counts());
  metrics.gauge("webhooks_waiting", "Webhooks of the messaging platform that are kept, of all processes", async () => {
    const { due, postponed, givenUp } = await webhooks();
    return { due, postponed, given_up: givenUp };
  });
  // Of its own: where requests hold all connections, the process is busy and still ready.
  const probe = Database.open(
    { url: config.database.url, poolSize: 1, ...probeLimits, applicationName: "recado readiness" },
    () => {},
  );
  let stopping = false;
  let migrated = false;
  const operations = operationsRoutes({
    isStopping: () => stopping,
    checks: {
      database: () => probe.ping(),
      migrations: async () => {
        if (migrated) return;
        const pending = await pendingMigrations(config.database.url);
        if (pending > 0) throw new Error(`${pending} migrations have not run: make migrate`);
        migrated = true;
      },
    },
    metrics: { contentType: metrics.contentType, text: () => metrics.text() },
    metricsKey: config.metricsKey,
    log,
  });
  const app = createApp(servesApi ? [...apiRoutes(container), ...operations] : operations, {
    authenticators: resolve(container, tokens.authenticators),
    limitRate: limitRate({ perSecond: config.http.requestsPerSecond, burst: config.http.burst }),
    bodyLimit: config.http.bodyLimitBytes,
    idempotency: resolve(container, tokens.idempotency),
    corsOrigins: listOf(config.http.corsOrigins),
    trustProxy: config.http.trustProxy,
    observe: metrics.observe,
    log,
  });
  const server = createServer(app);
  const clock = createAgendaClock({
    ticks: resolveAll(container, tokens.tick),
    databaseUrl: config.database.url,
    ...(config.mongoUri === "" ? {} : { mongoUri: config.mongoUri }),
    log,
    runTicks: worksJobs,
  });
  if (servesApi)
    metrics.gauge("realtime_clients", "Sockets", () => ({ ...resolve(container, tokens.gateway).stats() }));
  const realtime = servesApi ? resolve(container, tokens.gateway) : resolve(container, tokens.publisher);

  resolve(container, tokens.triggers).connect((name) => void clock.trigger(name));

  await accessChanges.start();
  if ("attach" in realtime) realtime.attach(server);
  else realtime.start();
  await clock.start();
  const port = await listen(server, config.port, config.host);
  webhookLoop.nudge();
  resolve(container, tokens.pushLoop).nudge();
  if (config.pusher.host === "") {
    log.info({}, "no Pusher host is configured: changes of orders of type app or web go to the Socket.IO namespace");
  }
  if (worksJobs) resolve(container, tokens.dispatchCampaigns).start();
  log.info({ port, role: config.role }, "ready");

  return {
    port,
    container,
    stopLimitMs: graceMsOf(config) + windUpMs,
    stop: async () => {
      stopping = true;
      realtime.close();
      await Promise.all([
        closeServer(server, graceMsOf(config)).then(() => handlersEnded(server)),
        clock.stop(),
        webhookLoop.stop(),
        resolve(container, tokens.pushLoop).stop(),
        resolve(container, tokens.priceLoop).stop(),
        resolve(container, tokens.dispatchCampaigns).stop(),
      ]);
      await resolve(container, tokens.campaignProgress).settled();
      await resolve(container, tokens.sendMessage).idle();
      await accessChanges.close();
      resolve(container, tokens.pusherHost)?.close();
      await Promise.all([resolve(container, tokens.httpClient).close(), resolve(container, tokens.mediaProbe).close()]);
      await Promise.all([database.close(), probe.close()]);
      log.info({}, "stopped");
    },
  };
}

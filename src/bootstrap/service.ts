import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "inversify";
import { acceptFaster } from "../infra/http/acceptors.ts";
import { createApp } from "../infra/http/app.ts";
import { consoleRoutes } from "../infra/http/console.ts";
import { loadShedder } from "../infra/http/load-shedding.ts";
import { bytesUnderWay } from "../infra/http/middleware/bytes-under-way.ts";
import { docsRoutes } from "../infra/http/openapi/docs.ts";
import { documentRoute } from "../infra/http/openapi/document-route.ts";
import { operationsRoutes } from "../infra/http/operations.ts";
import type { Route } from "../infra/http/routing/route.ts";
import {
  closeAfterNextAnswers,
  closeServer,
  createServer,
  handlersEnded,
  listen,
  refuseTooMany,
  type Servable,
} from "../infra/http/server.ts";
import { trustedProxies } from "../infra/http/trusted-proxies.ts";
import { AgendaClock } from "../infra/jobs/agenda-clock.ts";
import { background, startAll, stopAll } from "../infra/jobs/background.ts";
import { sideBySide } from "../infra/postgres/cells/side-by-side.ts";
import type { Directory } from "../infra/postgres/directory/directory.ts";
import { pendingMigrations } from "../infra/postgres/migrate.ts";
import { checkPooler } from "../infra/postgres/poolers.ts";
import type { RealtimeGateway } from "../infra/realtime/gateway.ts";
import { cookieIn, sessionCookie } from "../kernel/cookies.ts";
import type { Log } from "../kernel/log.ts";
import { type Config, cellsOf, directUrlOf, listOf } from "./config.ts";
import { consoleBuild } from "./console.module.ts";
import { createContainer } from "./container.ts";
import { asyncApi, openApiOf } from "./documents.ts";
import type { OpenedCell } from "./opened-cell.ts";
import { resolve, resolveAll } from "./provide.ts";
import { tokens } from "./tokens.ts";

export interface Service {
  readonly port: number;
  readonly container: Container;
  /** Stops accepting work, finishes what is running and closes all resources. */
  stop(): Promise<void>;
  readonly stopLimitMs: number;
}

/** Milliseconds that running requests get when the process stops: 5 s more than the messaging platform's timeout. */
export const graceMsOf = ({ messagingPlatform }: Config): number => messagingPlatform.timeoutMs + 5_000;
/** Further milliseconds for everything else that happens when the process stops. */
const windUpMs = 10_000;

async function checkPoolers(config: Config, log: Log): Promise<void> {
  const byUrl = new Map(cellsOf(config).map((cell) => [cell.url, cell]));
  const { statementNames } = config.database;
  for (const { url, directUrl } of byUrl.values()) await checkPooler({ url, directUrl, statementNames }, log);
}

/** At least one cell must be up for the process to be ready. Requests of businesses in cells that are down get 503. */
function checksOf(opened: readonly OpenedCell[], directory: Directory) {
  const migrated = new Set<string>();
  const checkMigrations = async ({ name, directUrl: url, schema, health }: OpenedCell): Promise<void> => {
    if (migrated.has(name)) return;
    // A cell that was not created yet has no businesses, so its migrations need not have run.
    if (name !== opened[0]?.name && !(await directory.locations.cellsMade()).includes(name)) return;
    // While the cell does not answer, Knex would wait for a connection much longer than the check may take.
    const pending = await health.whileUp(() => pendingMigrations({ url, schema }));
    if (pending > 0) throw new Error(`${pending} migrations have not run in ${name}: make migrate`);
    migrated.add(name);
  };
  return {
    database: async () => {
      await Promise.any(opened.map(({ probe }) => probe.ping())).catch(firstOf);
      if (opened.length > 1 && !directory.locations.isLoaded) throw new Error("the directory has not been read yet");
    },
    migrations: async () => {
      await sideBySide(opened, checkMigrations);
    },
  };
}

/** Serves the gateway's long polling beside the API, so that the server's limits apply to both. */
const beside = (gateway: RealtimeGateway, app: Servable): Servable => ({
  callback: () => {
    const answer = app.callback();
    return (req, res) => gateway.serve(req, res) || answer(req, res);
  },
});

const firstOf = (failed: AggregateError): never => {
  throw failed.errors[0];
};

export function apiRoutes(container: Container): Route[] {
  const routes = resolveAll(container, tokens.routes).flat();
  return [
    ...routes,
    documentRoute(openApiOf(container), "/openapi.json", "getOpenApiDocument", "This API as an OpenAPI 3.1 document"),
    documentRoute(asyncApi(), "/asyncapi.json", "getAsyncApiDocument", "What sockets hear and say, as AsyncAPI 3.0"),
    ...docsRoutes("Recado API"),
    ...consoleRoutes(consoleBuild),
  ];
}

const servesApi = ({ role }: Config): boolean => role !== "worker";

/** The HTTP server of the process. A worker serves only `operations`, and has no sockets. */
function serverOf(container: Container, config: Config, operations: readonly Route[]) {
  const log = resolve(container, tokens.log);
  const metrics = resolve(container, tokens.metrics);
  const gate = resolve(container, tokens.databaseGate);
  const app = createApp(servesApi(config) ? [...apiRoutes(container), ...operations] : operations, {
    authenticators: resolve(container, tokens.authenticators),
    limitRate: resolve(container, tokens.limitRate),
    admit: (businessId) => gate.check(businessId),
    lanes: resolve(container, tokens.lanes),
    boundBytes: bytesUnderWay(),
    bodyLimit: config.http.bodyLimitBytes,
    idempotency: resolve(container, tokens.idempotency),
    corsOrigins: listOf(config.http.corsOrigins),
    proxies: trustedProxies(config.http.trustProxy),
    observe: metrics.observe,
    countRefusal: metrics.countRefusal,
    log,
  });
  const known = { keys: resolve(container, tokens.knownKeys), sessions: resolve(container, tokens.knownSessions) };
  const businessOf = ({ "x-api-key": key, authorization, cookie }: IncomingHttpHeaders): number | undefined =>
    typeof key === "string"
      ? known.keys.businessOf(key)
      : known.sessions.businessOf(authorization?.slice(7) ?? cookieIn(cookie, sessionCookie));
  const isAnswered = loadShedder({ gate, countRefusal: metrics.countRefusal });
  const gateway = servesApi(config) ? resolve(container, tokens.gateway) : null;
  const server = createServer(
    gateway ? beside(gateway, app) : app,
    {},
    { isAnswered, businessOf: ({ headers }) => businessOf(headers), onRefusal: metrics.countRefusal },
  );
  refuseTooMany(server, config.http, metrics.countRefusal);
  gateway?.attach(server);
  return { server, gateway };
}

interface ServiceOptions {
  readonly container?: Container;
  /** How many descriptors accept connections (`acceptFaster`). More than one delays the start by 50 ms. */
  readonly acceptors?: number;
}

/** Starts a process with the configured role. Resolves when it answers requests. */
export async function startService(
  config: Config,
  { container = createContainer(config), acceptors = 1 }: ServiceOptions = {},
): Promise<Service> {
  const log = resolve(container, tokens.log);
  const metrics = resolve(container, tokens.metrics);
  await checkPoolers(config, log);
  const opened = resolve(container, tokens.openedCells);
  let isDraining = false;
  let isStopping = false;
  const operations = operationsRoutes({
    isDraining: () => isDraining,
    isStopping: () => isStopping,
    checks: checksOf(opened, resolve(container, tokens.directory)),
    metrics: { contentType: metrics.contentType, text: () => metrics.text() },
    metricsKey: config.metricsKey,
    failures: resolve(container, tokens.newFailureLimit)("wrong metrics keys"),
    log,
  });
  const { server, gateway } = serverOf(container, config, operations);
  const clock = new AgendaClock({
    ticks: resolveAll(container, tokens.tick),
    databaseUrl: directUrlOf(config),
    mongoUri: config.mongoUri,
    ticksMeanwhile: cellsOf(config).length > 1,
    log,
  });
  const all = [
    ...resolveAll(container, tokens.background),
    background("server", "intake", {
      stop: async () => {
        gateway?.close();
        await closeServer(server, graceMsOf(config));
        await handlersEnded(server);
      },
    }),
    background("clock", "intake", {
      start: async () => (config.role === "api" ? undefined : clock.start()),
      stop: () => clock.stop(),
    }),
  ];

  // A worker begins to stop at once, because it has no clients that must first move to another process.
  const drainMs = servesApi(config) ? config.http.drainSeconds * 1_000 : 0;

  await startAll(all);
  const port = await listen(server, config.port, config.host);
  if (servesApi(config) && acceptors > 1) {
    await acceptFaster(server, acceptors).catch((err) => log.warn({ err }, "accepts one connection at a time"));
  }
  resolve(container, tokens.publicAddress).listensAt(config.host, port);
  log.info({ port, role: config.role }, "ready");

  return {
    port,
    container,
    stopLimitMs: drainMs + graceMsOf(config) + windUpMs,
    stop: async () => {
      isDraining = true;
      closeAfterNextAnswers(server);
      await sleep(drainMs);
      isStopping = true;
      await stopAll(all, log);
      log.info({}, "stopped");
    },
  };
}

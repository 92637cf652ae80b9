import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ParsedUrlQuery } from "node:querystring";
import { Stream } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import cors from "@koa/cors";
import { Router } from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import type { Log } from "../../kernel/log.ts";
import { refusalDelayMs } from "../../kernel/refusal-delay.ts";
import { networkOf } from "./addresses.ts";
import { isCutOff } from "./counted-message.ts";
import { RestTaker } from "./middleware/body.ts";
import { dataHeaders } from "./middleware/security-headers.ts";
import { headersOf } from "./openapi/headers.ts";
import { parametersOf } from "./parameters.ts";
import { HttpProblem, Refusal, sendJson } from "./routing/dialect.ts";
import { isLong } from "./routing/flow.ts";
import type { Route } from "./routing/route.ts";
import { createRouter, type RouterParts } from "./routing/router.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface AppParts extends RouterParts {
  readonly log: Log;
  /** Browser origins that may read answers. */
  readonly corsOrigins: readonly string[];
  readonly proxies: TrustedProxies;
  readonly observe: (method: string, route: string, status: number, seconds: number) => void;
  /** Called for refusals that protect other requests, such as those of a rate limit. */
  readonly countRefusal: (reason: string, status: number) => void;
}

export function createApp(routes: readonly Route[], parts: AppParts): Koa {
  const app = new Koa();
  tellWhoAsks(app, parts.proxies);
  readParameters(app);
  app.on("error", (error: unknown, ctx?: Koa.Context) => {
    const facts = { err: error, requestId: ctx?.state.requestId, route: routeOf(ctx) };
    if (ctx && isGone(ctx)) parts.log.warn(facts, "the client broke off");
    else parts.log.error(facts, "request failed");
  });
  app.use(accessLog(parts));
  app.use(takenWhole());
  app.use(wordProblems(parts));
  app.use(secured);
  app.use(allowOrigins(parts.corsOrigins, headersOf(routes), parts.limitRate(1)));
  app.use(createRouter(routes, parts));
  // Requests without a route count against the rate limit of the client's address.
  app.use(parts.limitRate(1));
  app.use(new Router().allowedMethods() as Middleware);
  return app;
}

/** With `proxy: true` Koa would trust the leftmost forwarded address, which the client chooses. */
function tellWhoAsks(app: Koa, { addressOf, isHttps }: TrustedProxies): void {
  Object.defineProperties(app.request, {
    ip: {
      get(this: Koa.Request) {
        return addressOf(this.req);
      },
    },
    protocol: {
      get(this: Koa.Request) {
        return isHttps(this.req) ? "https" : "http";
      },
    },
  });
}

function readParameters(app: Koa): void {
  const read = new WeakMap<IncomingMessage, ParsedUrlQuery>();
  Object.defineProperty(app.request, "query", {
    get(this: Koa.Request) {
      const known = read.get(this.req) ?? parametersOf(this.querystring);
      read.set(this.req, known);
      return known;
    },
  });
}

/** The client left before its request was complete or its answer was sent. */
const isGone = ({ req, res }: Koa.Context): boolean => req.socket.destroyed && !(req.complete && res.writableFinished);

/** The route's pattern. It replaces the URL in logs and metrics, since the URL may contain a token. */
const routeOf = (ctx: Koa.Context | undefined): string => (ctx?._matchedRoute as string | undefined) ?? "none";

function accessLog({ log, observe }: AppParts): Middleware {
  return async (ctx, next) => {
    const started = performance.now();
    const given = ctx.get("x-request-id");
    const requestId = /^[\w-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state.requestId = requestId;
    ctx.set("X-Request-Id", requestId);
    try {
      await next();
    } finally {
      const seconds = (performance.now() - started) / 1e3;
      const route = routeOf(ctx);
      observe(ctx.method, route, ctx.status, seconds);
      const ms = Math.round(seconds * 1e4) / 10;
      const businessId = ctx.state.caller?.businessId;
      log.info({ requestId, method: ctx.method, route, status: ctx.status, ms, businessId }, "request");
    }
  };
}

/** A client must take a long answer within `answerMs`, plus `answerMsPerByte` for each byte (50 kB/s). */
const answerMs = 60_000;
const answerMsPerByte = 1 / 50;

/** A client that reads too slowly is cut off: its answer occupies memory and a place in a lane. */
function boundAnswer({ req: { socket }, res }: Koa.Context, length: number): void {
  const timer = setTimeout(() => socket.destroy(), answerMs + length * answerMsPerByte);
  res.once("close", () => clearTimeout(timer));
}

/**
 * Reads what is left unread of the request's body, up to a limit: a client that is still writing would not read the
 * answer. If the limit is reached, the connection is closed after the answer.
 */
function takenWhole(): Middleware {
  const rests = new RestTaker();
  return async (ctx, next) => {
    await next();
    if (isLong(ctx.body) && typeof ctx.body === "string") boundAnswer(ctx, ctx.body.length);
    const { req } = ctx;
    if (isReadOn(ctx)) {
      const address = networkOf(ctx.ip);
      // Unread bytes, such as those after an error in an imported file, would block the connection's next requests.
      ctx.res.once("finish", async () => {
        if (!(await rests.take(req, address, false))) req.socket.destroy();
      });
      return;
    }
    if (ctx.response.get("Connection") === "close" || req.complete || req.destroyed) return;
    const isWhole =
      !isCutOff(req) && (await rests.take(req, networkOf(ctx.ip), ctx.status === 429 || ctx.status === 503));
    if (isCutOff(req)) await closed(req.socket);
    else if (!isWhole) ctx.set("Connection", "close");
  };
}

/**
 * Waits until the server has closed a connection that it cut off. The server closes the connection after some seconds
 * and sends an answer of its own, so the application must not answer.
 */
const closed = (socket: Socket): Promise<void> =>
  socket.destroyed ? Promise.resolve() : new Promise((resolve) => socket.once("close", () => resolve()));

/** Whether the handler reads the body while it streams the answer. */
const isReadOn = ({ state, body }: Context): boolean => state.readsOn === true && body instanceof Stream;

/** Answers the failures for which endpoints have no text: unreadable bodies, unknown paths, wrong methods, limits. */
const wordProblems =
  (parts: AppParts): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const problem = error instanceof HttpProblem ? error : new HttpProblem(500, "Internal server error");
      if (problem !== error) ctx.app.emit("error", error, ctx);
      if (problem instanceof Refusal) {
        parts.countRefusal(problem.reason, problem.status);
        if (problem.status === 429) await sleep(refusalDelayMs(), undefined, { ref: false });
      }
      ctx.set(problem.headers);
      sendJson(ctx, problem.status, ctx.state.saysCodes ? problem.codedBody : problem.body);
    }
    if (ctx.body !== undefined && ctx.body !== null) return;
    // The router answers 501 to methods that it does not know, such as TRACE. `Allow` is empty if the path is unknown.
    const isWrongMethod = ctx.status === 405 || (ctx.status === 501 && ctx.response.get("Allow") !== "");
    if (isWrongMethod) sendJson(ctx, 405, { message: "Method not allowed" });
    else if (ctx.status === 404 || ctx.status === 501) sendJson(ctx, 404, { message: "Not found" });
  };

const secured: Middleware = (ctx, next) => {
  for (const [name, value] of dataHeaders) ctx.res.setHeader(name, value);
  return next();
};

/** @param exposed - response headers that pages may read */
function allowOrigins(origins: readonly string[], exposed: readonly string[], limitRate: Middleware): Middleware {
  const allowed = new Set(origins);
  const answer = cors({
    origin: (ctx) => {
      const origin = ctx.get("origin");
      return allowed.has(origin) ? origin : "";
    },
    allowHeaders: [
      "content-type",
      "x-api-key",
      "x-recado-key",
      "authorization",
      "idempotency-key",
      "if-match",
      "x-request-id",
    ],
    exposeHeaders: [...exposed],
    // Pages must be able to send the cookie of a known device.
    credentials: true,
    maxAge: 600,
    // By default, `cors` adds its headers to a thrown error. A shared error object would carry them to other origins.
    keepHeadersOnError: false,
  });
  return (ctx, next) => {
    // `cors` answers preflights itself. They reach no route, so the rate limit must count them here.
    const isPreflight = ctx.method === "OPTIONS" && ctx.req.headers["access-control-request-method"] !== undefined;
    if (ctx.req.headers.origin !== undefined) {
      return isPreflight ? limitRate(ctx, () => answer(ctx, next)) : answer(ctx, next);
    }
    // Requests without an Origin skip `cors`, which would set this header.
    ctx.res.setHeader("Vary", "Origin");
    return next();
  };
}

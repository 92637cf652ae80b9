import { Router, type RouterContext, type RouterMiddleware } from "@koa/router";
import type { Context, Middleware } from "koa";
import { BusinessNotFound } from "../../../kernel/errors.ts";
import type { IdempotencyStore } from "../../../kernel/idempotency.ts";
import type { Scope } from "../../../kernel/scopes.ts";
import { jsonBody, rawBody } from "../middleware/body.ts";
import type { BoundBytes } from "../middleware/bytes-under-way.ts";
import { onceByKey } from "../middleware/idempotency.ts";
import { multipartFile } from "../middleware/multipart.ts";
import type { LimitRate } from "../middleware/rate-limit.ts";
import { pageHeaders } from "../middleware/security-headers.ts";
import { sentCsv } from "../streaming/sent-text.ts";
import { StreamedBody, streamedBody } from "../streaming/streamed-body.ts";
import {
  type Authenticators,
  type BusinessCaller,
  isAdministrator,
  type KeyCaller,
  type UserCaller,
} from "./caller.ts";
import { answering, coded, HttpProblem, InvalidInput, type Repeating, sendJson } from "./dialect.ts";
import { breakingOff, throughLane } from "./flow.ts";
import { type LaneName, type Lanes, openLanes } from "./lanes.ts";
import { elementChecks, parser, refuseNullCharacter } from "./parser.ts";
import { type Call, Reply, type Route, saysCodes, scopeOf } from "./route.ts";

export interface RouterParts {
  readonly authenticators: Authenticators;
  /** Runs after authentication. */
  readonly limitRate: LimitRate;
  /** Throws `Busy` if the database is overloaded. */
  readonly admit?: (businessId: number) => void;
  /** Limits for slow work; new ones unless given. */
  readonly lanes?: Lanes;
  /** Limits the bytes of bodies in memory; no limit unless given. */
  readonly boundBytes?: BoundBytes;
  /** In bytes, for routes without a limit of their own. */
  readonly bodyLimit: number;
  /** Milliseconds until a body must be complete; `bodyMs` unless given. */
  readonly bodyMs?: number;
  /** Required if a route is `idempotent`. */
  readonly idempotency?: IdempotencyStore;
}

/** One router per first path segment, so that a request is matched against few routes. */
export function createRouter(routes: readonly Route[], parts: RouterParts): Middleware {
  const all = { lanes: openLanes(), ...parts };
  const routers = new Map<string, Router>();
  for (const route of routes) {
    const start = startOf(route.path);
    const router = routers.get(start) ?? new Router();
    routers.set(start, router);
    router[route.method](route.path, inTurn(chainOf(route, all)) as RouterMiddleware);
  }
  const ready = new Map([...routers].map(([start, router]) => [start, router.routes() as Middleware]));
  return (ctx, next) => (ready.get(startOf(ctx.path)) ?? passOn)(ctx, next);
}

/** Paths are not case-sensitive. */
function startOf(path: string): string {
  const end = path.indexOf("/", 1);
  return (end === -1 ? path : path.slice(0, end)).toLowerCase();
}

const passOn: Middleware = (_ctx, next) => next();

/** Composes the chain once instead of per request. */
const inTurn = (chain: readonly Middleware[]): Middleware =>
  chain.reduceRight((rest, each) => (ctx, next) => each(ctx, () => rest(ctx, next)));

function chainOf(route: Route, parts: RouterParts & { readonly lanes: Lanes }): Middleware[] {
  const { admit, boundBytes, lanes } = parts;
  const { auth, admitHead, body, lane } = route;
  const limit = route.bodyLimit ?? parts.bodyLimit;
  const scope = scopeOf(route);
  const arrival = arrivalOf(route);
  const laneOf = ({ query, req }: Context) => {
    const name = typeof lane === "function" ? lane(query, req.headers) : lane;
    return name && lanes[name];
  };
  const chain = [
    saysCodes(route) && sayingCodes,
    answering(route.dialect),
    typeof body === "string" && keepBody,
    auth !== "none" && unshared(parts.authenticators[auth]),
    scope && onlyKeysFor(scope),
    route.forAdministrators && onlyAdministrators,
    route.rateLimit !== "none" && parts.limitRate(route.cost ?? 1),
    admit && auth !== "none" && admitting(admit),
    admitHead && admittedBy(admitHead),
    body && boundBytes?.(limit, arrival !== undefined || body === "csv"),
    arrival && auth !== "none" && throughLane(() => lanes[arrival]),
    body && bodyOf(route, body, parts),
    lane && throughLane(laneOf),
    handling(route, parts),
  ];
  return chain.filter((each) => typeof each === "function") as Middleware[];
}

/** The lane for a streamed body, which may arrive slowly. A CSV file has only its route's lane. */
function arrivalOf({ body, streams }: Route): LaneName | undefined {
  if (body === "multipart") return "uploads";
  return streams === undefined ? undefined : "bodies";
}

/** Runs after authentication and the rate limit, before anything expensive. */
function admitting(admit: (businessId: number) => void): Middleware {
  return (ctx, next) => {
    admit(ctx.state.caller.businessId);
    return next();
  };
}

const onlyKeysFor =
  (scope: Scope): Middleware =>
  (ctx, next) => {
    const caller: KeyCaller | UserCaller = ctx.state.caller;
    if ("userId" in caller || caller.scopes.includes(scope)) return next();
    throw new HttpProblem(403, "another scope", {}, coded("forbidden", `La llave no tiene el alcance ${scope}`));
  };

const onlyAdministrators: Middleware = (ctx, next) => {
  if (isAdministrator(ctx.state.caller)) return next();
  throw new HttpProblem(403, "another role", {}, coded("forbidden", "Solo un administrador puede hacerlo"));
};

const admittedBy =
  (admitHead: NonNullable<Route["admitHead"]>): Middleware =>
  async (ctx, next) => {
    const { params } = ctx as unknown as RouterContext;
    ctx.state.bytesCountFor = await admitHead({ params, headers: ctx.req.headers, ip: ctx.ip });
    return next();
  };

/** The handler gets the body as bytes or as a stream, so authentication must not search it for a token. */
const keepBody: Middleware = (ctx, next) => {
  ctx.state.keepsBody = true;
  return next();
};

/** Comes first, so that all failures get a code. */
const sayingCodes: Middleware = (ctx, next) => {
  ctx.state.saysCodes = true;
  return next();
};

/** Authenticated answers must not be stored in shared caches, unless the route sets its own header. */
function unshared(authenticate: Middleware): Middleware {
  return (ctx, next) => {
    ctx.res.setHeader("Cache-Control", "private, no-store");
    return authenticate(ctx, next);
  };
}

function bodyOf(route: Route, body: NonNullable<Route["body"]>, parts: RouterParts): Middleware {
  const { bodyLimit: limit = parts.bodyLimit, streams } = route;
  if (body === "raw") return rawBody(limit, parts.bodyMs);
  if (body === "multipart") return multipartFile(limit);
  if (body === "csv") return sentCsv(limit);
  if (streams === undefined) return jsonBody(limit, parts.bodyMs, body.additionalProperties === false);
  const fields = { known: new Set(Object.keys(body.properties)), streamed: elementChecks(body, streams) };
  return streamedBody(limit, fields, parts.bodyMs);
}

function handling(route: Route, parts: RouterParts): Middleware {
  const once = onceOf(route, parts);
  const requireOwn = ownBusinessOf(route);
  const repeating = repeatingOf(route);
  const parseParams = route.params && parser(route.params, true);
  const parseQuery = route.query && parser(route.query, true);
  const parseBody = typeof route.body === "object" ? parser(route.body, false, route.streams) : (raw: unknown) => raw;
  return async (context) => {
    const ctx = context as unknown as RouterContext & { request: { body?: unknown; rawBody?: string } };
    if (ctx.url.includes("%00")) {
      if (route.params) refuseNullCharacter(ctx.params);
      if (route.query) refuseNullCharacter(ctx.query);
    }
    const { body, rawBody } = ctx.request;
    if (rawBody?.includes("\\u0000")) refuseNullCharacter(body);
    const params = parseParams?.(ctx.params);
    const query = parseQuery?.({ ...ctx.query });
    const sent = parseBody(body instanceof StreamedBody ? body.value : body);
    const call: Call<unknown, unknown, unknown, unknown> = new CallOf(context, params, query, sent);
    const handle = async (): Promise<Reply> => {
      const complaint = route.complaint?.(call as AnyCall);
      if (complaint !== undefined) throw new InvalidInput(complaint);
      requireOwn?.(call as AnyCall);
      ctx.state.repeating = repeating;
      const result = await route.handle(call as AnyCall);
      return result instanceof Reply ? result : new Reply(200, result);
    };
    const aboutOf = (reply: Reply) => route.about?.(call as AnyCall, reply) ?? null;
    send(ctx, await (once ? once(context, handle, aboutOf) : handle()));
  };
}

type AnyCall = Call<never, never, never, never>;

/** Computes rarely used fields on demand. */
class CallOf implements Call<unknown, unknown, unknown, unknown> {
  readonly caller: unknown;

  constructor(
    private readonly ctx: Context,
    readonly params: unknown,
    readonly query: unknown,
    readonly body: unknown,
  ) {
    this.caller = ctx.state.caller;
  }

  get headers() {
    return this.ctx.req.headers;
  }

  get ip() {
    return this.ctx.ip;
  }

  get url() {
    return this.ctx.originalUrl;
  }

  get isHttps() {
    return this.ctx.secure;
  }

  get signal() {
    return breakingOff(this.ctx);
  }
}

/** A request for another business gets the same answer as one for a business that does not exist. */
function ownBusinessOf({ ownBusiness }: Route): ((call: AnyCall) => void) | undefined {
  if (ownBusiness === undefined) return undefined;
  const [where, field] = ownBusiness.split(".") as ["params" | "query" | "body", string];
  return (call) => {
    const asked: number = call[where][field];
    const { businessId }: BusinessCaller = call.caller;
    if (asked !== businessId) throw new BusinessNotFound(`business ${asked} asked for by ${businessId}`);
  };
}

/**
 * Routes that send or create something take an Idempotency-Key. Repeating any other route is harmless, unless it failed
 * after it had changed something. So routes use `afterChange` for the work that follows a change.
 */
function repeatingOf({ method, idempotent }: Route): Repeating | undefined {
  if (method === "get") return undefined;
  return idempotent ? "harmful" : "harmless";
}

function onceOf(route: Route, { idempotency }: RouterParts) {
  if (!route.idempotent) return undefined;
  if (!idempotency) throw new Error(`${route.operationId} takes Idempotency-Key, but nothing remembers the keys`);
  return onceByKey(route, idempotency);
}

function send(ctx: Context, { status, headers, type, body, cookies }: Reply): void {
  if (cookies.length > 0) ctx.set("Set-Cookie", [...cookies]);
  if (type === "text/html") for (const [name, value] of pageHeaders) ctx.res.setHeader(name, value);
  const { Vary, ...others } = headers;
  ctx.set(others);
  // `Vary` is extended, not replaced.
  if (Vary) ctx.vary(Vary);
  if (type === undefined) {
    sendJson(ctx, status, body);
  } else {
    ctx.status = status;
    ctx.type = type;
    ctx.body = body;
  }
}

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
  /** Runs once the caller is known, or at once where nobody has to be. */
  readonly limitRate: LimitRate;
  /** Throws `Busy` where a request of this business had better not begin. */
  readonly admit?: (businessId: number) => void;
  /** Shares slow work among businesses; lanes of their own unless given. */
  readonly lanes?: Lanes;
  /** Bounds what all bodies together hold of memory; unbounded unless given. */
  readonly boundBytes?: BoundBytes;
  /** Bytes of a body unless its route says otherwise. */
  readonly bodyLimit: number;
  /** Milliseconds in which a body that is read whole must have arrived; `bodyMs` unless given. */
  readonly bodyMs?: number;
  /** Needed where a route is `idempotent`. */
  readonly idempotency?: IdempotencyStore;
}

/** A router for each first part of a path: a request is compared only with the routes that begin like it. */
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

/** Paths are the same in capitals. */
function startOf(path: string): string {
  const end = path.indexOf("/", 1);
  return (end === -1 ? path : path.slice(0, end)).toLowerCase();
}

const passOn: Middleware = (_ctx, next) => next();

/** Put together once, not at each request; the last of them answers. */
const inTurn = (chain: readonly Middleware[]): Middleware =>
  chain.reduceRight((rest, each) => (ctx, next) => each(ctx, () => rest(ctx, next)));

function chainOf(route: Route, parts: RouterParts & { readonly lanes: Lanes }): Middleware[] {
  const { admit, boundBytes } = parts;
  const limit = route.bodyLimit ?? parts.bodyLimit;
  const authenticate = route.auth === "none" ? [] : [unshared(parts.authenticators[route.auth])];
  const { admitHead } = route;
  const proven = admitHead === undefined ? [] : [admittedBy(admitHead)];
  const scope = scopeOf(route);
  const scoped = scope === undefined ? [] : [onlyKeysFor(scope)];
  const administrators = route.forAdministrators ? [onlyAdministrators] : [];
  const arrival = arrivalOf(route);
  const bytes =
    boundBytes && route.body !== undefined ? [boundBytes(limit, arrival !== undefined || route.body === "csv")] : [];
  const body = route.body === undefined ? [] : [bodyOf(route, route.body, parts)];
  const keep = typeof route.body === "string" ? [keepBody] : [];
  const limitRate = route.rateLimit === "none" ? [] : [parts.limitRate(route.cost ?? 1)];
  const admitted = admit && route.auth !== "none" ? [admitting(admit)] : [];
  const { lanes } = parts;
  const { lane: of } = route;
  const lane =
    of === undefined
      ? []
      : [throughLane((ctx) => laneAmong(lanes, typeof of === "string" ? of : of(ctx.query, ctx.req.headers)))];
  const arriving = arrival && route.auth !== "none" ? [throughLane(() => lanes[arrival])] : [];
  return [
    ...(saysCodes(route) ? [sayingCodes] : []),
    answering(route.dialect),
    ...keep,
    ...authenticate,
    ...scoped,
    ...administrators,
    ...limitRate,
    ...admitted,
    ...proven,
    ...bytes,
    ...arriving,
    ...body,
    ...lane,
    handling(route, parts),
  ] as Middleware[];
}

const laneAmong = (lanes: Lanes, name: LaneName | undefined) => name && lanes[name];

/** The lane of bodies that take as long as their clients like, and are no more than a piece at a time in memory. */
function arrivalOf({ body, streams }: Route): LaneName | undefined {
  if (body === "multipart") return "uploads";
  return streams === undefined ? undefined : "bodies";
}

/** Before anything of the request costs more than knowing its caller. */
function admitting(admit: (businessId: number) => void): Middleware {
  return (ctx, next) => {
    admit(ctx.state.caller.businessId);
    return next();
  };
}

/** A key without the scope is refused alike by every operation. */
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

/** These bytes are no JSON to look for a token in. */
const keepBody: Middleware = (ctx, next) => {
  ctx.state.keepsBody = true;
  return next();
};

/** Stands before everything else: what turns the request away on its way has a code as well. */
const sayingCodes: Middleware = (ctx, next) => {
  ctx.state.saysCodes = true;
  return next();
};

/** What somebody has to show a key for is for no shared cache, unless the route says so itself. */
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

/** Works out what few handlers ask for when they do. */
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

/** Any business but the caller's own is one that does not exist. */
function ownBusinessOf({ ownBusiness }: Route): ((call: AnyCall) => void) | undefined {
  if (ownBusiness === undefined) return undefined;
  const [where, field] = ownBusiness.split(".") as ["params" | "query" | "body", string];
  return (call) => {
    const asked: number = call[where][field];
    const { businessId }: BusinessCaller = call.caller;
    if (asked !== businessId) throw new BusinessNotFound(`business ${asked} asked for by ${businessId}`);
  };
}

/** What sends a message, or makes something anew each time, takes an Idempotency-Key. GET changes nothing. */
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
  // Beside what else the answer depends on.
  if (Vary) ctx.vary(Vary);
  if (type === undefined) {
    sendJson(ctx, status, body);
  } else {
    ctx.status = status;
    ctx.type = type;
    ctx.body = body;
  }
}

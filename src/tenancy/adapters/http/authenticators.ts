import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import { networkOf } from "../../../infra/http/addresses.ts";
import { bodyToken } from "../../../infra/http/middleware/body-token.ts";
import type { FailureLimit, LimitRate } from "../../../infra/http/middleware/rate-limit.ts";
import type { Authenticators, KeyCaller, UserCaller } from "../../../infra/http/routing/caller.ts";
import { coded, HttpProblem } from "../../../infra/http/routing/dialect.ts";
import type { AppKeys, Sessions } from "../../application/ports.ts";
import { tokenInCookie } from "./session-cookie.ts";

interface AuthenticatorParts {
  readonly keys: AppKeys;
  readonly sessions: Sessions;
  /** Counts wrong keys and tokens. */
  readonly failures: FailureLimit;
  /** Counts a request against the rate limit of its IP address, before the caller is known. */
  readonly limitRate: LimitRate;
  hostOf(request: IncomingMessage): string | undefined;
}

export function authenticators(parts: AuthenticatorParts): Authenticators {
  return {
    "key-or-token": refusing(keyRefusal, eitherOf(parts)),
    session: whereCodes(refusing(codedRefusal, session(parts)), session(parts)),
    "key-or-session": refusing(codedRefusal, eitherOf(parts)),
    "key-or-body-token": keyOrBodyToken(parts),
  };
}

/** Operations with error codes answer a missing or wrong token with a code, others with the specification's text. */
const whereCodes =
  (coding: Middleware, plain: Middleware): Middleware =>
  (ctx, next) =>
    ctx.state.saysCodes ? coding(ctx, next) : plain(ctx, next);

/** Takes a key or a session token. A request with neither gets the answer for a missing key. */
function eitherOf(parts: AuthenticatorParts): Middleware {
  const [byKey, bySession] = [appKey(parts), session(parts)];
  return async (ctx, next) => {
    const hasToken = ctx.get("x-api-key") === "" && tokenShown(ctx, parts) !== undefined;
    await (hasToken ? bySession(ctx, next) : byKey(ctx, next));
  };
}

const codedRefusal = coded("unauthorized", "Las credenciales no son válidas");
const keyRefusal = { message: "Invalid API key" };

/**
 * Answers every missing, wrong or expired key or token with `body`. Exception: `keyRefusal` does not replace
 * `noAdministrator`, the answer for a key of a business without an administrator.
 */
const refusing =
  (body: object, authenticate: Middleware): Middleware =>
  (ctx, next) =>
    authenticate(ctx, next).catch((error: unknown) => {
      throw error instanceof Unknown && !(body === keyRefusal && error.body === noAdministrator)
        ? refusal(body)
        : error;
    });

/** Authentication rules 1 and 2: the caller needs a valid App Key. A missing and an unknown key get the same answer. */
function appKey({ keys, failures }: AuthenticatorParts, keyOf = (ctx: Context) => ctx.get("x-api-key")): Middleware {
  return async (ctx, next) => {
    const key = keyOf(ctx);
    const access = key === "" ? null : await keys.accessOf(key, networkOf(ctx.ip));
    if (!access) return failures.refuse(ctx.ip, refusal({ message: "Invalid API key" }));
    if (!access.hasAdministrator) return failures.refuse(ctx.ip, refusal(noAdministrator));
    const { businessId, keyId, scopes } = access;
    ctx.state.caller = { businessId, keyId, scopes } satisfies KeyCaller;
    await next();
  };
}

/** The session token of a request: the bearer token, else `token` in the query, else the cookie. */
const tokenShown = (ctx: Context, { hostOf }: AuthenticatorParts): unknown =>
  bearerOf(ctx) ?? ctx.query.token ?? tokenInCookie(ctx.req, hostOf(ctx.req));

/** Authentication rule 4: a session token as bearer, in the query, cookie or body. A missing token is a 400. */
function session(parts: AuthenticatorParts): Middleware {
  return async (ctx, next) => {
    const token = tokenShown(ctx, parts) ?? (await tokenInBody(ctx, parts));
    if (typeof token !== "string" || token === "") {
      throw new Unknown(400, "no token", {}, { error: "Token is required" });
    }
    await enter(ctx, token, parts, { error: "Invalid token" });
    await next();
  };
}

async function tokenInBody(ctx: Context, { limitRate }: AuthenticatorParts): Promise<string | undefined> {
  await limitRate(1)(ctx, async () => {});
  return ctx.state.keepsBody ? undefined : bodyToken(ctx.req);
}

/** Authentication rule 3: an App Key in `x-api-key` or `x-recado-key`; without a key, a session token as in rule 4. */
function keyOrBodyToken(parts: AuthenticatorParts): Middleware {
  const byKey = appKey(parts, (ctx) => ctx.get("x-api-key") || ctx.get("x-recado-key"));
  return async (ctx, next) => {
    const hasKey = ctx.get("x-api-key") !== "" || ctx.get("x-recado-key") !== "";
    const token = hasKey ? "" : (tokenShown(ctx, parts) ?? (await tokenInBody(ctx, parts)));
    if (typeof token !== "string" || token === "") return byKey(ctx, next);
    await enter(ctx, token, parts, { message: "Invalid API key" });
    await next();
  };
}

async function enter(ctx: Context, token: string, parts: AuthenticatorParts, words: object): Promise<void> {
  const user = await parts.sessions.userOf(token, networkOf(ctx.ip));
  if (!user) return parts.failures.refuse(ctx.ip, refusal(words));
  const { businessId, userId, roleId } = user;
  ctx.state.caller = { businessId, userId, roleId, token } satisfies UserCaller;
}

const noAdministrator = "No admin user found for this business";

const bearerOf = (ctx: Context): string | undefined => /^Bearer +(\S+)$/i.exec(ctx.get("authorization"))?.[1];

/** The request has no valid credentials. */
class Unknown extends HttpProblem {}

const refusal = (body: unknown): Unknown => new Unknown(401, "not authenticated", {}, body);

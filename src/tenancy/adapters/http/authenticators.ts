import { hash } from "node:crypto";
import type { Context, Middleware } from "koa";
import { LRUCache } from "lru-cache";
import { jsonBody } from "../../../infra/http/middleware/body.ts";
import type { AttemptLimit } from "../../../infra/http/middleware/rate-limit.ts";
import type { Authenticators, KeyCaller, UserCaller } from "../../../infra/http/routing/caller.ts";
import { HttpProblem } from "../../../infra/http/routing/dialect.ts";
import type { AppKeys, Sessions } from "../../application/ports.ts";

/** Keys and tokens that are remembered as having been right. */
const mostFamiliar = 20_000;

export function authenticators(keys: AppKeys, sessions: Sessions, attempts: AttemptLimit): Authenticators {
  const door = new Door(attempts);
  const [byKey, bySession] = [appKey(keys, door), session(sessions, door)];
  return {
    "app-key": byKey,
    session: bySession,
    "key-or-session": eitherOf(byKey, bySession),
    "key-or-body-token": keyOrBodyToken(keys, sessions, door),
  };
}

/** Who shows neither is answered as one without a key. */
const eitherOf =
  (byKey: Middleware, bySession: Middleware): Middleware =>
  (ctx, next) => {
    const hasToken = bearerOf(ctx) !== undefined || ctx.query.token !== undefined;
    return ctx.get("x-api-key") === "" && hasToken ? bySession(ctx, next) : byKey(ctx, next);
  };

/** Authentication rules 1 and 2: a missing key is an unknown one. */
function appKey(keys: AppKeys, door: Door, keyOf = (ctx: Context) => ctx.get("x-api-key")): Middleware {
  return async (ctx, next) => {
    const key = keyOf(ctx);
    const digest = await door.approach(ctx, key);
    const access = key === "" ? null : await keys.accessOf(key);
    if (!access) return door.refuse(ctx, digest, { message: "Invalid API key" });
    if (!access.hasAdministrator) return door.refuse(ctx, digest, "No admin user found for this business");
    door.welcome(digest);
    ctx.state.caller = { businessId: access.businessId, keyId: access.keyId } satisfies KeyCaller;
    await next();
  };
}

/**
 * Authentication rule 4: a session token comes as a bearer, or as `token` in the query or in the body. Without one it
 * is a 400.
 */
function session(sessions: Sessions, door: Door): Middleware {
  return async (ctx, next) => {
    const token = bearerOf(ctx) ?? ctx.query.token ?? (await tokenInBody(ctx));
    if (typeof token !== "string" || token === "") {
      throw new HttpProblem(400, "no token", {}, { error: "Token is required" });
    }
    await enter(ctx, token, sessions, door, { error: "Invalid token" });
    await next();
  };
}

/** Bytes of a body that is read for its token alone, before anybody knows who sends it. */
const tokenBodyLimit = 100 * 1024;
const readBody = jsonBody(tokenBodyLimit);

/** The route finds the body parsed already, unless it takes its bytes. */
async function tokenInBody(ctx: Context): Promise<unknown> {
  if (ctx.state.keepsBody) return undefined;
  await readBody(ctx, async () => {});
  const { body } = ctx.request as { body?: unknown };
  return typeof body === "object" && body !== null && "token" in body ? body.token : undefined;
}

/** Authentication rule 3: `x-api-key`, `x-recado-key` or `token` in the body, in this order; all are refused alike. */
function keyOrBodyToken(keys: AppKeys, sessions: Sessions, door: Door): Middleware {
  const byKey = appKey(keys, door, (ctx) => ctx.get("x-api-key") || ctx.get("x-recado-key"));
  return async (ctx, next) => {
    const hasKey = ctx.get("x-api-key") !== "" || ctx.get("x-recado-key") !== "";
    const token = hasKey ? undefined : await tokenInBody(ctx);
    if (typeof token !== "string" || token === "") return byKey(ctx, next);
    await enter(ctx, token, sessions, door, { message: "Invalid API key" });
    await next();
  };
}

async function enter(ctx: Context, token: string, sessions: Sessions, door: Door, refusal: object): Promise<void> {
  const digest = await door.approach(ctx, token);
  const user = await sessions.userOf(token);
  if (!user) return door.refuse(ctx, digest, refusal);
  door.welcome(digest);
  const { businessId, userId, roleId } = user;
  ctx.state.caller = { businessId, userId, roleId, token } satisfies UserCaller;
}

const bearerOf = (ctx: Context): string | undefined => /^Bearer +(\S+)$/i.exec(ctx.get("authorization"))?.[1];

/**
 * Keeps whoever tries keys from loading the database. An address that failed too often gets 429 before anything is
 * looked up, unless it shows what was right here before: others behind the same address go on working, and only
 * those who come with a key or token that this process has not met yet have to wait with the culprit.
 */
class Door {
  /** Digests: what is remembered here opens nothing. */
  private readonly familiar = new LRUCache<string, true>({ max: mostFamiliar });

  constructor(private readonly attempts: AttemptLimit) {}

  /** The credential's digest, for what follows. */
  async approach(ctx: Context, credential: string): Promise<string> {
    const digest = digestOf(credential);
    if (!this.familiar.has(digest)) await this.attempts.check(ctx.ip);
    return digest;
  }

  welcome(digest: string): void {
    this.familiar.set(digest, true);
  }

  async refuse(ctx: Context, digest: string, body: unknown): Promise<never> {
    this.familiar.delete(digest);
    await this.attempts.failed(ctx.ip);
    throw new HttpProblem(401, "not authenticated", {}, body);
  }
}

const digestOf = (credential: string): string => hash("sha256", credential, "base64");

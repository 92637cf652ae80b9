import type { Context, Middleware } from "koa";
import type { Authenticators, UserCaller } from "../../../infra/http/caller.ts";
import { HttpProblem } from "../../../infra/http/problem.ts";
import type { AppKeys, Sessions } from "../../application/ports.ts";

/** Slows down whoever tries keys and tokens; throws a 429 once there were too many from one address. */
export interface FailedAttempts {
  check(ip: string): void | Promise<void>;
  failed(ip: string): void | Promise<void>;
}

export const authenticators = (keys: AppKeys, sessions: Sessions, attempts: FailedAttempts): Authenticators => ({
  "app-key": appKey(keys, attempts),
  session: session(sessions, attempts),
});

/** Authentication rules 1 and 2: a missing key is an unknown one. */
function appKey(keys: AppKeys, attempts: FailedAttempts): Middleware {
  return async (ctx, next) => {
    const key = ctx.get("x-api-key");
    const access = key === "" ? null : await keys.accessOf(key);
    if (!access) return refuse(ctx, attempts, { message: "Invalid API key" });
    if (!access.hasAdministrator) return refuse(ctx, attempts, "No admin user found for this business");
    ctx.state.caller = { businessId: access.businessId };
    ctx.state.rateKey = `key ${access.keyId}`;
    await next();
  };
}

/** Authentication rule 4: a session token comes as a bearer, or as `token` in the query. Without one it is a 400. */
function session(sessions: Sessions, attempts: FailedAttempts): Middleware {
  return async (ctx, next) => {
    const token = bearerOf(ctx) ?? ctx.query.token;
    if (typeof token !== "string" || token === "") {
      throw new HttpProblem(400, "no token", {}, { error: "Token is required" });
    }
    const user = await sessions.userOf(token);
    if (!user) return refuse(ctx, attempts, { error: "Invalid token" });
    const { businessId, userId, roleId } = user;
    ctx.state.caller = { businessId, userId, roleId, token } satisfies UserCaller;
    ctx.state.rateKey = `user ${userId}`;
    await next();
  };
}

const bearerOf = (ctx: Context): string | undefined => /^Bearer +(\S+)$/i.exec(ctx.get("authorization"))?.[1];

async function refuse(ctx: Context, attempts: FailedAttempts, body: unknown): Promise<never> {
  await attempts.check(ctx.ip);
  await attempts.failed(ctx.ip);
  throw new HttpProblem(401, "not authenticated", {}, body);
}

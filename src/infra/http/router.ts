import { Router, type RouterContext, type RouterMiddleware } from "@koa/router";
import type { Middleware } from "koa";
import { jsonBody, rawBody } from "./body.ts";
import type { Authenticators } from "./caller.ts";
import { answering, sendJson } from "./dialect.ts";
import { refuseNullCharacter } from "./null-character.ts";
import { parser } from "./parser.ts";
import { type Call, Reply, type Route } from "./route.ts";

export interface RouterParts {
  readonly authenticators: Authenticators;
  /** Runs once the caller is known, or at once where nobody has to be. */
  readonly limitRate: Middleware;
  /** Bytes of a body unless its route says otherwise. */
  readonly bodyLimit: number;
}

export function createRouter(routes: readonly Route[], parts: RouterParts): Router {
  const router = new Router();
  for (const route of routes) router[route.method](route.path, ...(chainOf(route, parts) as RouterMiddleware[]));
  return router;
}

function chainOf(route: Route, parts: RouterParts): Middleware[] {
  const authenticate = route.auth === "none" ? [] : [parts.authenticators[route.auth]];
  const limit = route.bodyLimit ?? parts.bodyLimit;
  const body = route.body === undefined ? [] : [route.body === "raw" ? rawBody(limit) : jsonBody(limit)];
  return [answering(route.dialect), ...authenticate, parts.limitRate, ...body, handling(route)] as Middleware[];
}

function handling(route: Route): Middleware {
  const parseParams = route.params && parser(route.params, true);
  const parseQuery = route.query && parser(route.query, true);
  const parseBody = route.body && route.body !== "raw" ? parser(route.body) : (raw: unknown) => raw;
  return async (context) => {
    const ctx = context as unknown as RouterContext & { request: { body?: unknown; rawBody?: string } };
    if (ctx.url.includes("%00")) [ctx.params, ctx.query].forEach(refuseNullCharacter);
    if (ctx.request.rawBody?.includes("\\u0000")) refuseNullCharacter(ctx.request.body);
    const call: Call<unknown, unknown, unknown, unknown> = {
      params: parseParams?.(ctx.params),
      query: parseQuery?.({ ...ctx.query }),
      body: parseBody(ctx.request.body),
      caller: ctx.state.caller,
      headers: ctx.req.headers,
      ip: ctx.ip,
    };
    const result = await route.handle(call as Call<never, never, never, never>);
    if (!(result instanceof Reply)) return sendJson(ctx, 200, result);
    ctx.set(result.headers);
    if (result.type === undefined) return sendJson(ctx, result.status, result.body);
    ctx.status = result.status;
    ctx.type = result.type;
    ctx.body = result.body;
  };
}

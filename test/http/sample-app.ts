import type { ServerOptions } from "node:http";
import { type AppParts, createApp } from "../../src/infra/http/app.ts";
import { type Dialect, HttpProblem, type InvalidInput } from "../../src/infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../src/infra/http/routing/route.ts";
import { idOf, nullableInteger, numericIdOf, problem, text } from "../../src/infra/http/routing/schema.ts";
import { trustedProxies } from "../../src/infra/http/trusted-proxies.ts";
import { DatabaseUnavailable, DomainError } from "../../src/kernel/errors.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { type Served, serve } from "../support/http.ts";

class Missing extends DomainError<"missing"> {
  readonly code = "missing";
}
class Unforeseen extends DomainError<"unforeseen"> {
  readonly code = "unforeseen";
}

const thing = {
  type: "object",
  required: ["name", "count"],
  properties: {
    name: { type: "string", minLength: 1, "x-error": { required: "Falta el nombre" } },
    count: { type: "integer", minimum: 1, maximum: 10_000 },
    colour: { type: "string", enum: ["red", "blue"] },
    sizes: { type: "array", items: { type: "integer" }, maxItems: 3 },
    owner: { ...numericIdOf("user"), "x-error": "Dueño inválido" },
    branch: nullableInteger,
  },
} as const;

const worded: Dialect<InvalidInput | Missing> = {
  invalid_input: (error) => [400, { success: false, error: error.message }],
  missing: () => [404, "Error: no existe"],
  unexpected: () => [500, { success: false, error: "Error interno" }],
};
const common = {
  tag: "things",
  summary: "A thing",
  dialect: worded,
  responses: { 200: { description: "ok" } },
} as const;
const echo = { ...common, auth: "none" } as const;

/** Lets a test hold a request to `/slow`. */
export const gate = { enter: () => {}, leave: Promise.resolve() };

export const sampleRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: "post",
    path: "/things",
    operationId: "makeThing",
    rules: {
      "§2.1": "A thing has a name.",
      "§2.2": "Its number is its own.",
    },
    auth: "key-or-token",
    scope: "send",
    body: thing,
    responses: {
      201: { description: "The thing", schema: { type: "object", properties: { id: idOf("thing") } } },
      400: { description: "A field is missing or wrong", schema: { type: "object", properties: { error: text } } },
    },
    handle: ({ body, caller }) => new Reply(201, { ...body, business: caller.businessId }, { "X-Made": "yes" }),
  }),
  defineRoute({
    ...common,
    method: "get",
    path: "/things/:id",
    operationId: "getThing",
    auth: "session",
    params: { type: "object", required: ["id"], properties: { id: numericIdOf("thing") } },
    query: {
      type: "object",
      properties: {
        page: { type: "integer", minimum: 1, default: 1, description: "From 1" },
        exact: { type: "boolean" },
        word: text,
      },
    },
    responses: {
      200: { description: "The thing", schema: { type: "object", properties: { name: text } } },
      404: { description: "No such thing", schema: text },
    },
    handle: ({ params, query, caller }) => {
      if (params.id === 404) throw new Missing("row 404 of secret_table");
      return { params, query, user: caller.userId };
    },
  }),
  defineRoute({
    ...echo,
    method: "delete",
    path: "/things",
    operationId: "dropThing",
    body: { type: "object", required: ["id"], properties: { id: idOf("thing") } },
    handle: ({ body }) => body,
  }),
  defineRoute({
    ...echo,
    method: "get",
    path: "/things",
    operationId: "listThings",
    body: { type: "object", properties: { word: text } },
    handle: ({ body }) => body,
  }),
  defineRoute({
    ...echo,
    method: "post",
    path: "/raw",
    operationId: "takeBytes",
    body: "raw",
    bodyLimit: 100,
    handle: ({ body }) => ({ hex: body.toString("hex") }),
  }),
  defineRoute({
    ...echo,
    method: "post",
    path: "/fail/:how",
    operationId: "fail",
    params: { type: "object", required: ["how"], properties: { how: text } },
    responses: { 500: { description: "Always", schema: problem } },
    handle: ({ params }) => {
      if (params.how === "domain") throw new Unforeseen("password=hunter2");
      if (params.how === "text") throw "password=hunter2";
      if (params.how === "away") throw new DatabaseUnavailable(new Error("password=hunter2"), false);
      if (params.how === "lost") throw new DatabaseUnavailable(new Error("password=hunter2"), true);
      if (params.how === "limit") throw new HttpProblem(429, "Too many requests", { "Retry-After": "3" });
      throw new Error("password=hunter2");
    },
  }),
  defineRoute({
    ...echo,
    method: "post",
    path: "/fail-twice",
    operationId: "failTwice",
    dialect: {
      unexpected: () => {
        throw new Error("password=hunter2");
      },
    },
    handle: () => {
      throw new Error("password=hunter2");
    },
  }),
  defineRoute({
    ...echo,
    method: "get",
    path: "/slow",
    operationId: "wait",
    handle: async () => {
      gate.enter();
      await gate.leave;
      return { done: true };
    },
  }),
  defineRoute({
    ...echo,
    method: "put",
    path: "/nothing",
    operationId: "doNothing",
    responses: { 204: { description: "Done" } },
    handle: () => new Reply(204, undefined),
  }),
];

export interface SampleApp extends Served {
  readonly logged: { level: string; fields: Record<string, unknown>; message: string }[];
  readonly refusals: { reason: string; status: number }[];
  readonly observed: { method: string; route: string; status: number; seconds: number }[];
}

/** Serves the sample routes. The key `k` belongs to business 7, and the token `t` to its user 70. */
export async function serveSample(
  routes: readonly Route[] = sampleRoutes,
  changes: Partial<AppParts> = {},
  limits: ServerOptions = {},
  hooks?: Parameters<typeof serve>[2],
): Promise<SampleApp> {
  const logged: SampleApp["logged"] = [];
  const refusals: SampleApp["refusals"] = [];
  const observed: SampleApp["observed"] = [];
  const note = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields: { ...fields }, message });
  };
  const app = createApp(routes, {
    authenticators: {
      "key-or-token": async (ctx, next) => {
        if (ctx.get("x-api-key") !== "k") throw new HttpProblem(401, "Invalid API key");
        ctx.state.caller = { businessId: 7, keyId: 1, scopes };
        await next();
      },
      session: async (ctx, next) => {
        if (ctx.get("authorization") !== "Bearer t") {
          throw new HttpProblem(401, "Invalid token", {}, { error: "Invalid token" });
        }
        ctx.state.caller = { businessId: 7, userId: 70, roleId: 5, token: "t" };
        await next();
      },
      "key-or-session": refuseAll,
      "key-or-body-token": refuseAll,
    },
    limitRate: () => (_ctx, next) => next(),
    countRefusal: (reason, status) => refusals.push({ reason, status }),
    bodyLimit: 10_000,
    log: { info: note("info"), warn: note("warn"), error: note("error") },
    corsOrigins: ["https://app.example"],
    proxies: trustedProxies(""),
    observe: (method, route, status, seconds) => observed.push({ method, route, status, seconds }),
    ...changes,
  });
  return { ...(await serve(app, limits, hooks)), logged, observed, refusals };
}

/** Stands for the kinds of authentication that no sample route uses. */
const refuseAll = (): never => {
  throw new HttpProblem(401, "Invalid API key");
};

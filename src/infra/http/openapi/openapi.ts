import { maxId } from "../../../kernel/ids.ts";
import { cacheable, ifMatchDescription } from "../entity-tags.ts";
import { keyDescription } from "../middleware/idempotency.ts";
import { fileField } from "../middleware/multipart.ts";
import type { AuthKind } from "../routing/caller.ts";
import { plainDialect } from "../routing/dialect.ts";
import { defineRoute, type RawBody, type ResponseSpec, type Route } from "../routing/route.ts";
import { type ObjectSchema, problem, type Schema, unauthorized } from "../routing/schema.ts";

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
}

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends Json {
  readonly openapi: "3.1.0";
  /** By path in OpenAPI's notation, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/**
 * Assembles the OpenAPI 3.1 document of the routes.
 *
 * @throws Error when two routes share an operation id, or a method and a path
 */
export function openApiDocument(routes: readonly Route[], info: ApiInfo): OpenApiDocument {
  const { title, version } = info;
  return {
    openapi: "3.1.0",
    info: { title, version, description: transportFailures },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths: pathsOf(routes),
    components: { securitySchemes, schemas: { Problem: problem }, responses: commonResponses },
  };
}

/** `GET /openapi.json`: the document as one text made ahead. */
export function openApiRoute(document: OpenApiDocument): Route {
  const answer = cacheable(JSON.stringify(document), "application/json", "no-cache");
  return defineRoute({
    method: "get",
    path: "/openapi.json",
    operationId: "getOpenApiDocument",
    tag: "documentation",
    summary: "This API as an OpenAPI 3.1 document",
    auth: "none",
    responses: { 200: { description: "The document", schema: { type: "object" } } },
    dialect: plainDialect,
    handle: ({ headers }) => answer(headers),
  });
}

const transportFailures = [
  "Failures that no operation words itself are answered alike, with `{ message }`: 400 for a body that is no JSON,",
  "404 for an unknown path, 405 for a wrong method, 408 for a body that takes longer than 30 seconds (an upload that",
  "takes longer than ten minutes is cut off with a 408 without a body), 413 for one that is too large, 415 for a body that says it is something else than JSON or that has an unknown compression, 429 with `Retry-After` for a caller whose own requests leave no room for more, and for a wrong key or token after too many from the same address, 503 with `Retry-After` where nothing was done because the process has no room or the database cannot be reached.",
  "`RateLimit-Policy` and `RateLimit` tell what a business may ask in this process and what is left of it.",
].join(" ");

const securitySchemes = {
  appKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An App Key: acts as one business." },
  session: { type: "http", scheme: "bearer", description: "A session token: acts as one user of one business." },
  sessionInQuery: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The same session token, as a parameter.",
  },
  appKeyOfReports: { type: "apiKey", in: "header", name: "x-recado-key", description: "The same App Key." },
} as const;

/** An operation asks for one of the schemes of its list; none where anybody may call. */
const security: Readonly<Record<AuthKind, readonly Json[]>> = {
  "app-key": [{ appKey: [] }],
  session: [{ session: [] }, { sessionInQuery: [] }],
  "key-or-session": [{ appKey: [] }, { session: [] }, { sessionInQuery: [] }],
  // A token in the body is a field of it: to this document nobody has to be known then.
  "key-or-body-token": [{ appKey: [] }, { appKeyOfReports: [] }, {}],
  none: [],
};

const retryAfter = { "Retry-After": { description: "Seconds until there is room again", schema: { type: "integer" } } };
const problemContent = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
const commonResponses = {
  NotJson: { description: "The body is not valid JSON", content: problemContent },
  Unauthorized: {
    description: "Nobody is known by this key or token",
    content: { "application/json": { schema: unauthorized } },
  },
  KeyInUse: {
    description:
      "A request with this `Idempotency-Key` is under way, or (without `Retry-After`) its answer was not kept",
    headers: { "Retry-After": { description: "Seconds until it is worth asking again", schema: { type: "integer" } } },
    content: problemContent,
  },
  TooLarge: { description: "The body is too large", content: problemContent },
  KeyOfAnotherRequest: {
    description: "This `Idempotency-Key` was used for another request",
    content: problemContent,
  },
  TooManyRequests: {
    description:
      "The caller's own requests leave no room for this one: above the rate limit, too many at a time, or wrong credentials again",
    headers: {
      ...retryAfter,
      "RateLimit-Policy": { description: "What may be asked", schema: { type: "string" } },
      RateLimit: { description: "What is left of it", schema: { type: "string" } },
    },
    content: problemContent,
  },
  Unavailable: {
    description: "Nothing was done: the process has no room now, or its database cannot be reached",
    headers: retryAfter,
    content: problemContent,
  },
} as const;

/** What may happen on the way to a route's handler. */
function commonFailures(route: Route): Readonly<Record<number, keyof typeof commonResponses>> {
  return {
    ...(typeof route.body === "object" && { 400: "NotJson" }),
    ...(route.auth !== "none" && { 401: "Unauthorized" }),
    ...(route.idempotent && { 409: "KeyInUse", 422: "KeyOfAnotherRequest" }),
    ...(route.body !== undefined && { 413: "TooLarge" }),
    ...(route.rateLimit !== "none" && { 429: "TooManyRequests" }),
    ...(route.auth !== "none" && { 503: "Unavailable" }),
  };
}

function pathsOf(routes: readonly Route[]): OpenApiDocument["paths"] {
  const paths: Record<string, Record<string, Json>> = {};
  const ids = new Set<string>();
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const operations = paths[path] ?? {};
    paths[path] = operations;
    const operation = `${route.method} ${route.path} (${route.operationId})`;
    if (operations[route.method]) throw new Error(`two routes for ${operation}`);
    if (ids.has(route.operationId)) throw new Error(`two routes with the operation id of ${operation}`);
    ids.add(route.operationId);
    operations[route.method] = operationOf(route);
  }
  return paths;
}

function operationOf(route: Route): Json {
  const parameters = [
    ...pathParametersOf(route),
    ...queryParametersOf(route.query),
    ...(route.idempotent ? [keyParameter] : []),
    ...(route.conditional ? [ifMatchParameter] : []),
  ];
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...describe(route),
    security: security[route.auth],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBodyOf(route.body) }),
    responses: responsesOf(route),
  };
}

function describe({ rules = [], cost = 1 }: Route): Json {
  const lines = rules.map(([number, rule]) => `- **${number}** ${rule}`);
  if (cost > 1) lines.push(`- Counts for ${cost} requests in the rate.`);
  return lines.length === 0 ? {} : { description: lines.join("\n") };
}

function pathParametersOf(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  return names.map((name) => parameter("path", name, route.params?.properties[name] ?? { type: "string" }, true));
}

function queryParametersOf(query: ObjectSchema | undefined): Json[] {
  const required = new Set(query?.required ?? []);
  return Object.entries(query?.properties ?? {}).map(([name, schema]) =>
    parameter("query", name, schema, required.has(name)),
  );
}

const keyParameter: Json = {
  in: "header",
  name: "Idempotency-Key",
  required: false,
  description: keyDescription,
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

const ifMatchParameter: Json = {
  in: "header",
  name: "If-Match",
  required: false,
  description: ifMatchDescription,
  schema: { type: "string" },
};

function parameter(where: "path" | "query", name: string, property: Schema, required: boolean): Json {
  if (typeof property === "boolean") return { in: where, name, required, schema: property };
  // Every parameter arrives as digits: that a number may be written so says nothing new.
  const { description, "x-numeric": _, ...schema } = property;
  return { in: where, name, required, ...(description && { description }), schema: publicSchema(schema) };
}

function requestBodyOf(body: ObjectSchema | RawBody): Json {
  if (body === "raw") return { required: true, content: { "*/*": { schema: {} } } };
  if (body === "csv") return { required: true, content: { "text/csv": { schema: { type: "string" } } } };
  if (body === "multipart") return { required: true, content: { "multipart/form-data": { schema: oneFile } } };
  const required = (body.required ?? []).length > 0;
  return { required, content: { "application/json": { schema: publicSchema(body) } } };
}

const oneFile = {
  type: "object",
  required: [fileField],
  properties: { [fileField]: { type: "string", format: "binary" } },
};

function responsesOf(route: Route): Json {
  const common = Object.entries(commonFailures(route)).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]);
  const own = Object.entries(route.responses).map(([status, response]) => [status, responseOf(response)]);
  return Object.fromEntries([...common, ...own]);
}

function responseOf({ description, schema, type = "application/json", otherTypes, headers }: ResponseSpec): Json {
  const others = (otherTypes ?? []).map((other) => [other, { schema: { type: "string" } }]);
  const described = Object.entries(headers ?? {}).map(([name, says]) => [
    name,
    { description: says, schema: { type: "string" } },
  ]);
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(schema !== undefined && {
      content: { [type]: { schema: publicSchema(schema) }, ...Object.fromEntries(others) },
    }),
  };
}

/** Keywords that hold one schema, a list of them, or one under each name; all others are copied as they are. */
const oneSchema = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);
const schemaLists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemasByName = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"]);
const internal = new Set(["x-entity", "x-error", "x-numeric"]);

/** The schema as callers see it: without the keywords that only this service reads. */
function publicSchema(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if ("x-numeric" in schema && schema["x-numeric"] === true) return numberOrDigits(schema);
  const pairs = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (internal.has(keyword)) return [];
    if (keyword === "example") return [["examples", [value]]];
    if (oneSchema.has(keyword)) return [[keyword, publicSchema(value)]];
    if (schemaLists.has(keyword)) return [[keyword, (value as unknown[]).map(publicSchema)]];
    if (!schemasByName.has(keyword)) return [[keyword, value]];
    const named = Object.entries(value as object).map(([name, inner]) => [name, publicSchema(inner)]);
    return [[keyword, Object.fromEntries(named)]];
  });
  return Object.fromEntries(pairs);
}

const digits = { type: "string", pattern: "^[0-9]{1,16}$", description: `Digits of a number up to ${maxId}` };

function numberOrDigits(schema: object): Json {
  const { "x-numeric": _, description, default: fallback, ...number } = schema as Json;
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    anyOf: [publicSchema(number), digits],
  };
}

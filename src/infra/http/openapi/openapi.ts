import { cacheable, ifMatchDescription } from "../entity-tags.ts";
import { keyDescription } from "../middleware/idempotency.ts";
import { fileField } from "../middleware/multipart.ts";
import type { AuthKind } from "../routing/caller.ts";
import { plainDialect } from "../routing/dialect.ts";
import { defineRoute, type RawBody, type ResponseSpec, type Route } from "../routing/route.ts";
import {
  codedFailure,
  keyRefused,
  type ObjectSchema,
  objectWith,
  problem,
  type Schema,
  text,
  tokenRefused,
  unauthorized,
  unnamed,
} from "../routing/schema.ts";
import { Components, type Json } from "./components.ts";
import { errorCodesOf } from "./error-codes.ts";

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** What each tag of the routes stands for. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly webhooks?: readonly Webhook[];
}

/** A request that this service sends, to an address that somebody else serves. */
export interface Webhook {
  readonly name: string;
  readonly method: "get" | "post";
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly WebhookParameter[];
  readonly body?: Schema;
  /** What the other side answers. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

interface WebhookParameter {
  readonly in: "header" | "query";
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

export interface OpenApiDocument extends Json {
  readonly openapi: "3.1.0";
  /** By path in OpenAPI's notation, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/**
 * Assembles the OpenAPI 3.1 document of the routes.
 *
 * @throws Error when two routes share an operation id, or a method and a path, or two different schemas a name
 */
export function openApiDocument(routes: readonly Route[], info: ApiInfo): OpenApiDocument {
  const { title, version, tags = {}, webhooks = [] } = info;
  const writer = new Writer();
  const paths = writer.pathsOf(routes);
  const sent = Object.fromEntries(webhooks.map((each) => [each.name, writer.webhookOf(each)]));
  const named = [...new Set([...routes, ...webhooks].map(({ tag }) => tag))];
  return {
    openapi: "3.1.0",
    info: { title, version, description: transportFailures, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/", description: "The service that this document comes from" }],
    tags: named.map((name) => ({ name, ...(tags[name] && { description: tags[name] }) })),
    paths,
    ...(webhooks.length > 0 && { webhooks: sent }),
    components: { securitySchemes, ...writer.components },
  };
}

/** `GET /openapi.json`: the document as one text made ahead. */
export const openApiRoute = (document: OpenApiDocument): Route =>
  documentRoute(document, "/openapi.json", "getOpenApiDocument", "This API as an OpenAPI 3.1 document");

/** A document as one text made ahead. */
export function documentRoute(document: Json, path: string, operationId: string, summary: string): Route {
  const answer = cacheable(JSON.stringify(document), "application/json", "no-cache");
  return defineRoute({
    method: "get",
    path,
    operationId,
    tag: "documentation",
    summary,
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
  "`X-Request-Id` names the request in the log: the one that the request came with, or one made up.",
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
  "key-or-token": [{ appKey: [] }, { session: [] }, { sessionInQuery: [] }],
  session: [{ session: [] }, { sessionInQuery: [] }],
  "key-or-session": [{ appKey: [] }, { session: [] }, { sessionInQuery: [] }],
  // A token in the body is a field of it: to this document nobody has to be known then.
  "key-or-body-token": [{ appKey: [] }, { appKeyOfReports: [] }, {}],
  none: [],
};

const retryAfter = "Seconds until it is worth asking again";
const rateHeaders = {
  "RateLimit-Policy": "What may be asked, as draft-ietf-httpapi-ratelimit-headers has it",
  RateLimit: "What is left of it",
} as const;
const replayHeader = {
  "Idempotent-Replay": "`true` where the answer is the one of an earlier request with the same key",
};
/** What answers have that say nothing of it: the service's own files and documents, and every answer. */
const unsaid = ["X-Request-Id", "ETag"];

/** The headers that answers of these routes may have and pages may read: no browser shows a page its cookies. */
export const headersOf = (routes: readonly Route[]): string[] => {
  const own = routes.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const common = [rateHeaders, replayHeader, { "Retry-After": retryAfter }].flatMap(Object.keys);
  return [...new Set([...unsaid, ...common, ...own])].filter((name) => name !== "Set-Cookie");
};

interface CommonResponse extends ResponseSpec {
  readonly schema: Schema;
}

const commonResponses = {
  NotJson: { description: "The body is not valid JSON", schema: problem },
  Unauthorized: { description: "Nobody is known by this key or token", schema: unauthorized },
  KeyRefused: {
    description: "Nobody is known by this key or token, or the business has no administrator",
    schema: keyRefused,
  },
  TokenRefused: { description: "Nobody is known by this token", schema: tokenRefused },
  Forbidden: {
    description: "For administrators and App Keys",
    schema: objectWith({ error: text, code: { const: "forbidden" } }),
  },
  KeyInUse: {
    description:
      "A request with this `Idempotency-Key` is under way, or (without `Retry-After`) its answer was not kept",
    headers: { "Retry-After": retryAfter },
    schema: problem,
  },
  TooLarge: { description: "The body is too large", schema: problem },
  KeyOfAnotherRequest: { description: "This `Idempotency-Key` was used for another request", schema: problem },
  TooManyRequests: {
    description:
      "The caller's own requests leave no room for this one: above the rate limit, too many at a time, or wrong credentials again",
    headers: { "Retry-After": retryAfter, ...rateHeaders },
    schema: problem,
  },
  Unavailable: {
    description: "Nothing was done: the process has no room now, or its database cannot be reached",
    headers: { "Retry-After": retryAfter },
    schema: problem,
  },
} as const satisfies Readonly<Record<string, CommonResponse>>;
type CommonName = keyof typeof commonResponses;

const refusals: Readonly<Record<Exclude<AuthKind, "none">, CommonName>> = {
  "key-or-token": "KeyRefused",
  session: "TokenRefused",
  "key-or-session": "Unauthorized",
  "key-or-body-token": "KeyRefused",
};

/** What may happen on the way to a route's handler. */
function commonFailures(route: Route): Readonly<Record<number, CommonName>> {
  return {
    ...(typeof route.body === "object" && { 400: "NotJson" }),
    ...(route.auth !== "none" && { 401: refusals[route.auth] }),
    ...(route.forAdministrators && { 403: "Forbidden" as const }),
    ...(route.idempotent && { 409: "KeyInUse", 422: "KeyOfAnotherRequest" }),
    ...(route.body !== undefined && { 413: "TooLarge" }),
    ...(route.rateLimit !== "none" && { 429: "TooManyRequests" }),
    ...(route.auth !== "none" && { 503: "Unavailable" }),
  };
}

/** A client can meet either at one status, and has to tell them apart; bodies that are no JSON it does not send. */
const besideOwn: readonly CommonName[] = [
  "KeyInUse",
  "KeyOfAnotherRequest",
  "TooLarge",
  "TooManyRequests",
  "Unavailable",
];

/** Writes the parts of one document, and gathers what they refer to. */
class Writer {
  private readonly schemas = new Components();
  private readonly responses = new Map<CommonName, Json>();
  private readonly headers = new Map<string, Json>();

  get components(): Json {
    return {
      schemas: this.schemas.schemas,
      ...(this.responses.size > 0 && { responses: Object.fromEntries(this.responses) }),
      ...(this.headers.size > 0 && { headers: Object.fromEntries(this.headers) }),
    };
  }

  pathsOf(routes: readonly Route[]): OpenApiDocument["paths"] {
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
      operations[route.method] = this.operationOf(route);
    }
    return paths;
  }

  webhookOf({ method, operationId, tag, summary, description, parameters, body, responses }: Webhook): Json {
    const answers = Object.entries(responses).map(([status, response]) => [status, this.responseOf(response)]);
    return {
      [method]: {
        operationId,
        tags: [tag],
        summary,
        description,
        security: [],
        ...(parameters && {
          parameters: parameters.map((each) => ({
            ...each,
            required: true,
            schema: this.schemas.schemaOf(each.schema),
          })),
        }),
        ...(body && {
          requestBody: { required: true, content: { "application/json": { schema: this.schemas.schemaOf(body) } } },
        }),
        responses: Object.fromEntries(answers),
      },
    };
  }

  private operationOf(route: Route): Json {
    const parameters = [
      ...this.pathParametersOf(route),
      ...this.queryParametersOf(route.query),
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
      ...(route.body && { requestBody: this.requestBodyOf(route.body) }),
      responses: this.responsesOf(route),
    };
  }

  private pathParametersOf(route: Route): Json[] {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
    return names.map((name) =>
      this.parameter("path", name, route.params?.properties[name] ?? { type: "string" }, true),
    );
  }

  private queryParametersOf(query: ObjectSchema | undefined): Json[] {
    const required = new Set(query?.required ?? []);
    return Object.entries(query?.properties ?? {}).map(([name, schema]) =>
      this.parameter("query", name, schema, required.has(name)),
    );
  }

  private parameter(where: "path" | "query", name: string, property: Schema, required: boolean): Json {
    if (typeof property === "boolean") return { in: where, name, required, schema: property };
    // Every parameter arrives as digits: that a number may be written so says nothing new.
    const { description, "x-numeric": _, ...schema } = property;
    return { in: where, name, required, ...(description && { description }), schema: this.schemas.schemaOf(schema) };
  }

  private requestBodyOf(body: ObjectSchema | RawBody): Json {
    if (body === "raw") return { required: true, content: { "*/*": { schema: {} } } };
    if (body === "csv") return { required: true, content: { "text/csv": { schema: { type: "string" } } } };
    if (body === "multipart") return { required: true, content: { "multipart/form-data": { schema: oneFile } } };
    const required = (body.required ?? []).length > 0;
    return { required, content: { "application/json": { schema: this.schemas.schemaOf(body) } } };
  }

  private responsesOf(route: Route): Json {
    const common = commonFailures(route);
    const codes = isCoded(route) ? errorCodesOf(route.dialect) : new Map<number, readonly string[]>();
    const own = Object.entries(route.responses).map(([status, response]) => {
      const name = common[Number(status)];
      const said = name && besideOwn.includes(name) ? either(response, commonResponses[name]) : response;
      const whole = /^2/.test(status) ? { ...said, headers: { ...said.headers, ...headersOfSuccess(route) } } : said;
      return [status, this.responseOf(whole, codes.get(Number(status)))];
    });
    const others = Object.entries(common)
      .filter(([status]) => !(status in route.responses))
      .map(([status, name]) => [status, this.common(name)]);
    return Object.fromEntries([...others, ...own]);
  }

  private common(name: CommonName): Json {
    if (!this.responses.has(name)) this.responses.set(name, this.responseOf(commonResponses[name]));
    return { $ref: `#/components/responses/${name}` };
  }

  private responseOf(response: ResponseSpec, codes: readonly string[] = []): Json {
    const { description, schema, type = "application/json", otherTypes, headers } = response;
    const others = (otherTypes ?? []).map((other) => [other, { schema: { type: "string" } }]);
    const described = Object.entries(headers ?? {}).map(([name, says]) => [name, this.header(name, says)]);
    return {
      description,
      ...(described.length > 0 && { headers: Object.fromEntries(described) }),
      ...(schema !== undefined && {
        content: { [type]: { schema: this.schemas.schemaOf(withCodes(schema, codes)) }, ...Object.fromEntries(others) },
      }),
    };
  }

  /** Headers that many answers have stand once. */
  private header(name: string, description: string): Json {
    const header = { description, schema: { type: "string" } };
    if (!sharedHeaders.has(name)) return header;
    if (name === "Retry-After" && description !== retryAfter) return header;
    this.headers.set(name, header);
    return { $ref: `#/components/headers/${name}` };
  }
}

const sharedHeaders: ReadonlySet<string> = new Set([
  "Retry-After",
  ...Object.keys(rateHeaders),
  ...Object.keys(replayHeader),
]);

const headersOfSuccess = (route: Route): Readonly<Record<string, string>> => ({
  ...(route.rateLimit !== "none" && rateHeaders),
  ...(route.idempotent && replayHeader),
});

function either(own: ResponseSpec, common: CommonResponse): ResponseSpec {
  const schema =
    own.schema === undefined || own.schema === common.schema ? common.schema : eitherSchema(own.schema, common.schema);
  return {
    ...own,
    description: `${own.description}; or: ${common.description}`,
    schema,
    headers: { ...common.headers, ...own.headers },
  };
}

const eitherSchema = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas });

const isCoded = ({ responses }: Route): boolean =>
  Object.values(responses).some(({ schema }) => Object.is(schema, codedFailure));

/** `CodedFailure` with the codes that it has here. */
function withCodes(schema: Schema, codes: readonly string[]): Schema {
  if (codes.length === 0 || typeof schema === "boolean") return schema;
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((each) => withCodes(each, codes)) };
  if (!Object.is(schema, codedFailure)) return schema;
  const { properties, ...failure } = unnamed(codedFailure);
  return { ...failure, properties: { ...properties, code: { type: "string", enum: codes } } };
}

function describe({ rules = [], cost = 1 }: Route): Json {
  const lines = rules.map(([number, rule]) => `- **${number}** ${rule}`);
  if (cost > 1) lines.push(`- Counts for ${cost} requests in the rate.`);
  return lines.length === 0 ? {} : { description: lines.join("\n") };
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

const oneFile = {
  type: "object",
  required: [fileField],
  properties: { [fileField]: { type: "string", format: "binary" } },
};

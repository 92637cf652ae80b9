import type { Route } from "../routing/route.ts";
import type { Json } from "./components.ts";
import { securitySchemes } from "./security.ts";
import { type Paths, type Webhook, Writer } from "./writer.ts";

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** Descriptions by tag. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly webhooks?: readonly Webhook[];
}

export interface OpenApiDocument extends Json {
  readonly openapi: "3.1.0";
  readonly paths: Paths;
}

/**
 * Builds the OpenAPI 3.1 document of the routes.
 *
 * @throws Error if two routes share an operation id or a method and path, or if two different schemas share a name
 */
export function openApiDocument(routes: readonly Route[], info: ApiInfo): OpenApiDocument {
  const { title, version, tags = {}, webhooks = [] } = info;
  const writer = new Writer();
  const paths = writer.pathsOf(routes);
  const sent = Object.fromEntries(webhooks.map((each) => [each.name, writer.webhookOf(each)]));
  const named = [...new Set([...routes, ...webhooks].map(({ tag }) => tag))];
  return {
    openapi: "3.1.0",
    info: { title, version, description: onTheWay, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/", description: "The service that this document comes from" }],
    tags: named.map((name) => ({ name, ...(tags[name] && { description: tags[name] }) })),
    paths,
    ...(webhooks.length > 0 && { webhooks: sent }),
    components: { securitySchemes, ...writer.components },
  };
}

const onTheWay = [
  "Failures that no operation words itself are answered alike: 400 for a body that is no JSON, 408 for a body that",
  "takes longer than 30 seconds (an upload that takes longer than ten minutes is cut off with a 408 without a body),",
  "413 for one that is too large, 431 for more than 100 headers, 415 for a body that says it is something else than is",
  "asked for or that has an unknown compression, 429 with `Retry-After` for a body in chunks of a few bytes that has",
  "tens of thousands of them, for a caller whose own requests leave no room for more, and for a wrong key or token",
  "after too many from the same address, 503 with `Retry-After` where nothing was done because the process has no room",
  "or the database cannot be reached. Their body is `{ message }`, and `{ error, code }` at the operations that list",
  "their codes. An unknown path is a 404 and a wrong method a 405, both with `{ message }`. `RateLimit-Policy` and",
  "`RateLimit` tell what a business may ask in this process and what is left of it. `X-Request-Id` names the request in",
  "the log: the one that the request came with, or one made up.",
].join(" ");

import { cacheable } from "../entity-tags.ts";
import { plainDialect } from "../routing/dialect.ts";
import { defineRoute, type Route } from "../routing/route.ts";
import type { Json } from "./components.ts";

export function documentRoute(document: Json, path: string, operationId: string, summary: string): Route {
  const answer = cacheable(JSON.stringify(document), "application/json", "no-cache");
  return defineRoute({
    method: "get",
    path,
    operationId,
    tag: "documentation",
    summary,
    auth: "none",
    // The OpenAPI document has more than a megabyte.
    cost: 20,
    responses: { 200: { description: "The document", schema: { type: "object" } } },
    dialect: plainDialect,
    handle: ({ headers }) => answer(headers),
  });
}

import { cacheable } from "../entity-tags.ts";
import { plainDialect } from "../routing/dialect.ts";
import { defineRoute, type Route } from "../routing/route.ts";
import type { Json } from "./components.ts";
import type { OpenApiDocument } from "./openapi.ts";

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
    // More than a megabyte.
    cost: 20,
    responses: { 200: { description: "The document", schema: { type: "object" } } },
    dialect: plainDialect,
    handle: ({ headers }) => answer(headers),
  });
}

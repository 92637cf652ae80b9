import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cacheable } from "../entity-tags.ts";
import { type Dialect, type InvalidInput, plainDialect } from "../routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../routing/route.ts";
import { objectWith, problem, text } from "../routing/schema.ts";

const manifest = createRequire(import.meta.url).resolve("swagger-ui-dist/package.json");
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

/** The files that the page loads. Only `start.js` is our own. */
const assets: Readonly<Record<string, { readonly type: string; readonly read: () => string | Buffer }>> = {
  "swagger-ui.css": { type: "text/css", read: () => vendored("swagger-ui.css") },
  "swagger-ui-bundle.js": { type: "text/javascript", read: () => vendored("swagger-ui-bundle.js") },
  "favicon-32x32.png": { type: "image/png", read: () => vendored("favicon-32x32.png") },
  "start.js": { type: "text/javascript", read: () => startScript },
};

const vendored = (file: string): Buffer => readFileSync(join(dirname(manifest), file));

/** The script is a separate file, since the content security policy forbids inline scripts. */
const startScript = `window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Browsers cache the files for ever. When `start.js` changes, the number after the library's version must, too. */
const assetUrl = (file: string): string => `/docs/${file}?v=${version}-1`;

const page = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</title>
<link rel="icon" type="image/png" href="${assetUrl("favicon-32x32.png")}">
<link rel="stylesheet" href="${assetUrl("swagger-ui.css")}">
</head>
<body>
<p>To make clients from: <a href="/openapi.json">the HTTP API (OpenAPI 3.1)</a>,
<a href="/asyncapi.json">live events by Socket.IO (AsyncAPI 3.0)</a></p>
<div id="docs"></div>
<script src="${assetUrl("swagger-ui-bundle.js")}"></script>
<script src="${assetUrl("start.js")}"></script>
</body>
</html>
`;

/** `GET /docs`: Swagger UI for `/openapi.json`. */
export function docsRoutes(title: string): Route[] {
  const answerPage = cacheable(page(title), "text/html", "no-cache");
  const prepared = new Map<string, ReturnType<typeof cacheable>>();

  function answerAsset(file: string): ReturnType<typeof cacheable> | undefined {
    const asset = Object.hasOwn(assets, file) ? assets[file] : undefined;
    if (!asset) return undefined;
    const answer = prepared.get(file) ?? cacheable(asset.read(), asset.type, "public, max-age=31536000, immutable");
    prepared.set(file, answer);
    return answer;
  }

  const common = {
    method: "get",
    tag: "documentation",
    auth: "none",
    dialect: { ...plainDialect, invalid_input: () => [404, { message: "Not found" }] } as Dialect<InvalidInput>,
  } as const;
  return [
    defineRoute({
      ...common,
      path: "/docs",
      operationId: "getDocs",
      summary: "This API to read and to try",
      responses: { 200: { description: "A page", type: "text/html", schema: { type: "string" } } },
      handle: ({ headers }) => answerPage(headers),
    }),
    defineRoute({
      ...common,
      path: "/docs/:file",
      operationId: "getDocsFile",
      summary: "A file of the documentation page",
      params: objectWith({ file: text }),
      responses: {
        200: { description: "The file", type: "*/*", schema: { type: "string" } },
        404: { description: "No such file", schema: problem },
      },
      handle: ({ params, headers }) => answerAsset(params.file)?.(headers) ?? new Reply(404, { message: "Not found" }),
    }),
  ];
}

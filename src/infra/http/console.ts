import { readdirSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { cacheable, digestOf } from "./entity-tags.ts";
import { type Dialect, type InvalidInput, plainDialect } from "./routing/dialect.ts";
import { defineRoute, Reply, type Route } from "./routing/route.ts";
import { nullableText, objectWith, problem, text } from "./routing/schema.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".mp3": "audio/mpeg",
};

/** Everything must come from this service. Other pages cannot frame the console, and plug-ins are forbidden. */
const policy = [
  "default-src 'self'",
  // Mantine sets inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const pageHeaders = {
  "Content-Security-Policy": policy,
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
} as const;

const forEver = "public, max-age=31536000, immutable";

type Answering = ReturnType<typeof cacheable>;
type Packed = Readonly<Record<"br" | "gzip" | "none", Answering>>;

const packers = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/**
 * Serves the built web application. Files in `assets` are cached for ever, since their names contain a hash. Any other
 * path below `/console/` returns the file of that name next to the page or, if there is none, the page itself.
 */
export function consoleRoutes(directory: string): Route[] {
  const root = filesIn(directory);
  const assets = filesIn(join(directory, "assets"));
  const prepared = new Map<string, Promise<Packed>>();

  async function answer(path: string, cacheControl: string, headers: IncomingHttpHeaders): Promise<Reply> {
    const known = prepared.get(path) ?? packed(join(directory, path), cacheControl);
    prepared.set(path, known);
    known.catch(() => prepared.delete(path));
    const { br, gzip: zipped, none } = await known;
    const taken = String(headers["accept-encoding"] ?? "");
    return (/\bbr\b/.test(taken) ? br : /\bgzip\b/.test(taken) ? zipped : none)(headers);
  }

  /** A file next to the page or, if there is none at `place`, the page itself. */
  async function page(place: string, headers: IncomingHttpHeaders): Promise<Reply> {
    if (!root.has("index.html")) return new Reply(404, { message: "The console is not built: make console" });
    const path = root.has(place) ? place : "index.html";
    const reply = await answer(path, "no-cache", headers);
    const more = path === "index.html" ? pageHeaders : {};
    return new Reply(reply.status, reply.body, { ...reply.headers, ...more }, reply.type);
  }

  const common = {
    method: "get",
    tag: "documentation",
    auth: "none",
    dialect: { ...plainDialect, invalid_input: () => [404, { message: "Not found" }] } as Dialect<InvalidInput>,
    responses: {
      200: { description: "The file", type: "*/*", schema: { type: "string" } },
      404: { description: "No such file, or the console is not built", schema: problem },
    },
  } as const;
  const file = { type: "string", minLength: 1, maxLength: 200 } as const;

  return [
    defineRoute({
      ...common,
      path: "/console",
      operationId: "getConsole",
      summary: "The console's page",
      handle: ({ headers }) => page("", headers),
    }),
    defineRoute({
      ...common,
      path: "/console/assets/:file",
      operationId: "getConsoleAsset",
      summary: "A file of the console",
      params: objectWith({ file }),
      handle: async ({ params, headers }) => {
        if (!assets.has(params.file)) return new Reply(404, { message: "Not found" });
        return answer(`assets/${params.file}`, forEver, headers);
      },
    }),
    defineRoute({
      ...common,
      path: "/console/{*place}",
      operationId: "getConsolePage",
      summary: "The console's page, at the address of any of its views",
      params: { type: "object", properties: { place: { type: "string" } } } as const,
      handle: ({ params, headers }) => page(params.place ?? "", headers),
    }),
  ];
}

/** `GET /version`; `console` identifies the build of the page. */
export function versionRoute(directory: string, version: string): Route {
  const build = filesIn(directory).has("index.html") ? digestOf(readFileSync(join(directory, "index.html"))) : null;
  return defineRoute({
    method: "get",
    path: "/version",
    operationId: "getVersion",
    tag: "Operations",
    auth: "none",
    summary: "Tells which version runs",
    rules: {
      "Version.1":
        "`console` changes with each build of the console: an open page that has another one is out of date.",
    },
    dialect: plainDialect,
    responses: {
      200: { description: "The version", schema: objectWith({ version: text, console: nullableText }) },
      500: { description: "Unexpected failure", schema: problem },
    },
    handle: () => ({ version, console: build }),
  });
}

function filesIn(directory: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  } catch {
    return new Set();
  }
}

async function packed(path: string, cacheControl: string): Promise<Packed> {
  const content = readFileSync(path);
  const type = types[extname(path)] ?? "application/octet-stream";
  const [br, zipped] = await Promise.all([
    packers.br(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    packers.gzip(content, { level: 9 }),
  ]);
  const as = (body: Buffer, encoding: string | null): Answering => {
    const answering = cacheable(body, type, cacheControl);
    return (headers) => {
      const reply = answering(headers);
      const more = {
        Vary: "Accept-Encoding",
        ...(encoding && reply.status === 200 && { "Content-Encoding": encoding }),
      };
      return new Reply(reply.status, reply.body, { ...reply.headers, ...more }, reply.type);
    };
  };
  return { br: as(br, "br"), gzip: as(zipped, "gzip"), none: as(content, null) };
}

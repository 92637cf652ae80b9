import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Reply } from "./routing/route.ts";

/** Prepares an answer that never changes while the process runs, and 304 for those who have it already. */
export function cacheable(
  body: string | Buffer,
  type: string,
  cacheControl: string,
): (headers: IncomingHttpHeaders) => Reply {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const headers = { ETag: etag, "Cache-Control": cacheControl };
  return (request) =>
    has(request["if-none-match"], etag) ? new Reply(304, null, headers, type) : new Reply(200, body, headers, type);
}

/** A proxy that compresses marks the tag as weak. */
function has(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}

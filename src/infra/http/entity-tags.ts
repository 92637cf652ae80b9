import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { InvalidInput } from "./routing/dialect.ts";
import { Reply } from "./routing/route.ts";

/** Prepares an answer that never changes while the process runs, and 304 for those who have it already. */
export function cacheable(
  content: string | Buffer,
  type: string,
  cacheControl: string,
): (headers: IncomingHttpHeaders) => Reply {
  // Made into bytes once, not for each answer.
  const body = Buffer.from(content);
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

/** For callers, in the document of each operation that takes the header. */
export const ifMatchDescription = [
  "Makes the change only if what it changes is still at one of these entity tags, as an `ETag` named them; `*` if it",
  "exists at all. Otherwise the answer is 412 and nothing is changed. What does not exist is answered as without the",
  "header (updating an order: 400 'Order not found'), unless the operation's rules say otherwise. Tags are compared",
  "strongly: a weak one (`W/`) never matches.",
].join(" ");

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const list = new RegExp(String.raw`^${tag}(?:[ \t]*,[ \t]*${tag})*$`);

/**
 * What the header `If-Match` asks for: the strong tags with their quotes, "any" for `*`, null where there is none.
 *
 * @throws InvalidInput when the header is malformed
 */
export function ifMatchOf({ "if-match": header }: IncomingHttpHeaders): readonly string[] | "any" | null {
  if (header === undefined) return null;
  const given = header.trim();
  if (given === "*") return "any";
  if (!list.test(given)) throw new InvalidInput("If-Match no es válido");
  return (given.match(new RegExp(tag, "g")) ?? []).filter((each) => !each.startsWith("W/"));
}

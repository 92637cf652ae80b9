import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { InvalidInput } from "./routing/dialect.ts";
import { Reply } from "./routing/route.ts";

/** An answer that stays the same while the process runs. A client that already has this answer gets 304. */
export function cacheable(
  content: string | Buffer,
  type: string,
  cacheControl: string,
): (headers: IncomingHttpHeaders) => Reply {
  const body = Buffer.from(content);
  const etag = tagOfContent(body);
  const headers = { ETag: etag, "Cache-Control": cacheControl };
  return (request) =>
    isKnown(request, etag) ? new Reply(304, null, headers, type) : new Reply(200, body, headers, type);
}

export const tagOfContent = (content: string | Buffer): string => `"${digestOf(content)}"`;

export const digestOf = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("base64url").slice(0, 22);

/** Whether `If-None-Match` names the tag. `W/` is ignored, since compressing proxies make tags weak. */
export const isKnown = ({ "if-none-match": tags = "" }: IncomingHttpHeaders, etag: string): boolean =>
  tags.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));

export const ifMatchDescription = [
  "Makes the change only if what it changes is still at one of these entity tags, as an `ETag` named them; `*` if it",
  "exists at all. Otherwise the answer is 412 and nothing is changed. What does not exist is answered as without the",
  "header (updating an order: 400 'Order not found'), unless the operation's rules say otherwise. Tags are compared",
  "strongly: a weak one (`W/`) never matches.",
].join(" ");

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const list = new RegExp(String.raw`^${tag}(?:[ \t]*,[ \t]*${tag})*$`);

/**
 * The strong tags of the header `If-Match`, "any" for `*`, or null if the header is missing.
 *
 * @throws InvalidInput if the header is malformed
 */
export function ifMatchOf({ "if-match": header }: IncomingHttpHeaders): readonly string[] | "any" | null {
  if (header === undefined) return null;
  const given = header.trim();
  if (given === "*") return "any";
  if (!list.test(given)) throw new InvalidInput("If-Match no es válido");
  return (given.match(new RegExp(tag, "g")) ?? []).filter((each) => !each.startsWith("W/"));
}

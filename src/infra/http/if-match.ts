import type { IncomingHttpHeaders } from "node:http";
import { InvalidInput } from "./routing/dialect.ts";

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

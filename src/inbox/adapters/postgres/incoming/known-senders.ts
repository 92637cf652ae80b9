import { statement } from "../../../../infra/postgres/statement.ts";
import type { IncomingNews } from "../../../domain/incoming.ts";
import type { Dropped } from "./dropped.ts";
import type { Intake } from "./news.ts";

const find = statement("incoming_known_senders")`
  select platform_id as id from senders where provider = $1 and platform_id = any($2::text[])`;

const kinds = [
  ...(["messages", "echoes", "edits", "withdrawals", "reactions", "clicks"] as const),
  ...(["statuses", "marks", "preferences"] as const),
] satisfies readonly (keyof IncomingNews)[];

/** Drops news for senders that no business has. */
export async function ofKnownSenders(
  { transaction, provider }: Intake,
  news: IncomingNews,
  dropped: Dropped,
): Promise<IncomingNews> {
  const sendersIn = (kind: (typeof kinds)[number]) => news[kind].map(({ sender }) => sender);
  const named = new Set(kinds.flatMap(sendersIn));
  if (named.size === 0) return news;
  const rows = await transaction.rows<{ id: string }>(find, [provider, [...named]]);
  const known = new Set(rows.map(({ id }) => id));
  if (known.size === named.size) return news;
  const left = kinds.map((kind) => {
    const list: readonly { readonly sender: string }[] = news[kind];
    const kept = list.filter(({ sender }) => known.has(sender));
    dropped.add("unknown_sender", list.length - kept.length);
    return [kind, kept] as const;
  });
  return { ...news, ...Object.fromEntries(left) };
}

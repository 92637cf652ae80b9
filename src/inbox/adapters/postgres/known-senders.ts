import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { IncomingNews } from "../../domain/incoming.ts";
import type { Dropped } from "./dropped.ts";

const find: Statement = {
  name: "incoming_known_senders",
  text: "select platform_id as id from senders where provider = $1 and platform_id = any($2::text[])",
};

/** The lists of news that each name the sender that they came for. */
const listsOf = ({
  messages,
  echoes,
  edits,
  withdrawals,
  reactions,
  clicks,
  statuses,
  marks,
  preferences,
}: IncomingNews) => ({
  messages,
  echoes,
  edits,
  withdrawals,
  reactions,
  clicks,
  statuses,
  marks,
  preferences,
});

/** The news without those that came for a sender that no business has. */
export async function ofKnownSenders(
  transaction: Queries,
  provider: string,
  told: IncomingNews,
  dropped: Dropped,
): Promise<IncomingNews> {
  const lists: Readonly<Record<string, readonly { readonly sender: string }[]>> = listsOf(told);
  const named = new Set(Object.values(lists).flatMap((list) => list.map(({ sender }) => sender)));
  if (named.size === 0) return told;
  const rows = await transaction.rows<{ id: string }>(find, [provider, [...named]]);
  const known = new Set(rows.map(({ id }) => id));
  if (known.size === named.size) return told;
  const left = Object.entries(lists).map(([kind, list]) => {
    const kept = list.filter(({ sender }) => known.has(sender));
    dropped.add("unknown_sender", list.length - kept.length);
    return [kind, kept] as const;
  });
  return { ...told, ...Object.fromEntries(left) };
}

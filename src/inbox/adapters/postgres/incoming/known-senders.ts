import { statement } from "../../../../infra/postgres/statement.ts";
import type { DropReason } from "../../../application/incoming/ports.ts";
import { countOf, type IncomingNews, partiesIn, withoutSenders } from "../../../domain/incoming.ts";
import type { Intake } from "./news.ts";

const find = statement("incoming_known_senders")`
  select platform_id as id from senders where provider = $1 and platform_id = any($2::text[])`;

/** Drops news for senders that no business has. Keeps all connections: `noteConnections` checks their senders. */
export async function ofKnownSenders(
  { transaction, provider }: Intake,
  { connections, ...news }: IncomingNews,
  dropped: Map<DropReason, number>,
): Promise<IncomingNews> {
  const { senders } = partiesIn(news);
  if (senders.length === 0) return { ...news, connections };
  const rows = await transaction.rows<{ id: string }>(find, [provider, senders]);
  const known = new Set(rows.map(({ id }) => id));
  if (known.size === senders.length) return { ...news, connections };
  const left = withoutSenders(news, new Set(senders.filter((id) => !known.has(id))));
  dropped.set("unknown_sender", countOf(news) - countOf(left));
  return { ...left, connections };
}

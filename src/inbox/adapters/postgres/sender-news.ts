import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { IncomingNews } from "../../domain/incoming.ts";
import { inChunks } from "./news.ts";

/** A number that is flagged sends badly rated messages; once it is not, its rating is not known until it is told. */
const noteNumbers: Statement = {
  name: "incoming_number_news",
  text: `
    with told as (
      select distinct on (account, phone) account, phone, state
      from rows from (jsonb_to_recordset($1::jsonb) as (account text, phone text, state text)) with ordinality
        as news(account, phone, state, place)
      order by account, phone, place desc
    ),
    held as (
      select sender.business_id, sender.id, told.state
      from told join senders as sender
        on sender.provider = $2 and sender.account_id = told.account and sender.phone = told.phone
      order by sender.business_id, sender.id
      for no key update of sender
    )
    update senders as sender
    set state = held.state, quality = case held.state when 'FLAGGED' then 'RED' when 'UNFLAGGED' then null
                                      else sender.quality end
    from held where sender.business_id = held.business_id and sender.id = held.id`,
};

/**
 * A provider that was not answered tells again, for some twenty minutes: what is older than the last news by no more than
 * this is late. A clock that was set back, as in autumn, is further behind.
 */
const latest = "interval '30 minutes'";

/** An instance that is not there is nobody's sender. What comes without a time counts as the last of what was told. */
const noteConnections: Statement = {
  name: "incoming_connection_news",
  text: `
    with told as (
      select distinct on (sender) sender, state, "toldAt"
      from rows from (jsonb_to_recordset($1::jsonb) as (sender text, state text, "toldAt" timestamptz)) with ordinality
        as news(sender, state, "toldAt", place)
      order by sender, "toldAt" desc nulls first, place desc
    ),
    held as (
      select sender.business_id, sender.id, told.state, told."toldAt"
      from told join senders as sender on sender.provider = $2 and sender.platform_id = told.sender
      order by sender.business_id, sender.id
      for no key update of sender
    )
    update senders as sender
    set state = held.state, connection_told_at = coalesce(held."toldAt", sender.connection_told_at)
    from held
    where sender.business_id = held.business_id and sender.id = held.id
      and coalesce(held."toldAt" > sender.connection_told_at
                   or held."toldAt" < sender.connection_told_at - ${latest}, true)`,
};

/** Before all else that news lock. */
export async function noteSenders(
  transaction: Queries,
  provider: string,
  { numbers, connections }: Pick<IncomingNews, "numbers" | "connections">,
): Promise<void> {
  await inChunks(transaction, noteNumbers, numbers, provider);
  await inChunks(transaction, noteConnections, connections, provider);
}

import { statement } from "../../../../infra/postgres/statement.ts";
import type { IncomingReaction } from "../../../domain/incoming.ts";
import { messageOfCustomer } from "./message-of-customer-sql.ts";
import { type Intake, type NamedMessage, newsOfSenders } from "./news.ts";

/**
 * Stores a reaction if its message is in the customer's own chat. The stored reaction keeps its time, and a removed
 * reaction stays with an empty emoji, so that older news that arrive late change nothing.
 */
const react = statement("incoming_reactions")`
  with given as (
    select distinct on (sender.business_id, news.message_id, news.customer, news.sender) sender.business_id, news.*
    from ${newsOfSenders(`
      position integer, sender text, customer text, author text, message_id text, emoji text, at timestamptz`)}
    order by sender.business_id, news.message_id, news.customer, news.sender, news.at desc, news.position desc
  ),
  found as (
    select message.business_id, message.id, message.chat_id, message.state, given.message_id, given.sender,
           coalesce(given.author, contact.name) as author, given.emoji, given.at,
           coalesce(former.entry->>'emoji', '') as former_emoji, (former.entry->>'at')::timestamptz as former_at
    from given ${messageOfCustomer()}
    left join lateral (
      select entry from jsonb_array_elements(message.reactions) as entry where entry->>'from' = 'contact'
    ) as former on true
  ),
  changed as (
    update messages as message
    set reactions = jsonb_path_query_array(message.reactions, '$[*] ? (@.from.type() != "string" || @.from != "contact")')
        || found.entry
    from (
      select *, jsonb_build_object('from', 'contact', 'author', author, 'emoji', emoji, 'at', at) as entry from found
    ) as found
    where message.business_id = found.business_id and message.id = found.id
      and (found.former_at is null or found.former_at <= found.at)
    returning message.business_id, message.id
  )
  select found.business_id, found.id, found.chat_id, found.state, found.message_id, found.sender, found.at,
         changed.id is not null and found.emoji <> found.former_emoji as shows
  from found left join changed using (business_id, id)`;

/** A customer's reaction to a stored message. */
export interface StoredReaction extends NamedMessage {
  readonly at: Date;
}

/** Reactions to unknown messages, or to messages of another chat, are left out of the result. */
export const storeReactions = (intake: Intake, reactions: readonly IncomingReaction[]): Promise<StoredReaction[]> => {
  const rows = reactions.map(({ sender, from, name, messageId, emoji, occurredAt }, position) => ({
    position,
    sender,
    customer: from,
    author: name,
    message_id: messageId,
    emoji,
    at: occurredAt,
  }));
  return intake.inChunks<StoredReaction>(react, rows);
};

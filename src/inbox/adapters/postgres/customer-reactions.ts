import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { DeliveryStatus } from "../../../messaging/public.ts";
import type { MessageState } from "../../domain/delivery.ts";
import type { IncomingReaction } from "../../domain/incoming.ts";
import { inChunks } from "./news.ts";

/**
 * Locks the messages that statuses and reactions of one batch are about, in the order of their ids: two statements
 * write to them, and each by itself would take them in an order of its own.
 */
const lock: Statement = {
  name: "incoming_lock_messages",
  text: `
    with given as (
      select sender.business_id, news.message_id, news.reference
      from jsonb_to_recordset($1::jsonb) as news(sender text, message_id text, reference uuid)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
    ),
    matched as (
      select message.business_id, message.id from given join messages as message
        on message.business_id = given.business_id and message.platform_message_id = given.message_id
      union
      select message.business_id, message.id from given join messages as message
        on message.business_id = given.business_id and message.reference = given.reference
    )
    select from messages as message
    where (message.business_id, message.id) in (select business_id, id from matched)
    order by message.business_id, message.id
    for no key update`,
};

/**
 * Writes reactions to the messages that they are about, where those are in the customer's own chat. Each keeps when
 * it was given, and one that was taken back stays with an empty emoji: older news that come later change nothing.
 * `offset 0` keeps the look-ups apart, as those of the CTE `news` in `announce-sql.ts`.
 */
const react: Statement = {
  name: "incoming_reactions",
  text: `
    with given as (
      select distinct on (sender.business_id, news.message_id) sender.business_id, news.*
      from jsonb_to_recordset($1::jsonb) as news(
        position integer, sender text, phone text, author text, message_id text, emoji text, at timestamptz)
      join senders as sender on sender.provider = $2 and sender.platform_id = news.sender
      order by sender.business_id, news.message_id, news.at desc, news.position desc
    ),
    found as (
      select message.business_id, message.id, message.chat_id, message.state, given.author, given.emoji, given.at,
             coalesce(former.entry->>'emoji', '') as former_emoji, (former.entry->>'at')::timestamptz as former_at
      from given
      join messages as message
        on message.business_id = given.business_id and message.platform_message_id = given.message_id
      cross join lateral (
        select contact_id from chats
        where business_id = message.business_id and id = message.chat_id and provider = $2 offset 0
      ) as chat
      cross join lateral (
        select from contacts
        where business_id = message.business_id and id = chat.contact_id and given.phone in (phone, platform_id) offset 0
      ) as contact
      left join lateral (
        select entry from jsonb_array_elements(message.reactions) as entry where entry->>'from' = 'contact'
      ) as former on true
    ),
    changed as (
      update messages as message
      set reactions = coalesce(
            (select jsonb_agg(entry) from jsonb_array_elements(message.reactions) as entry
             where entry->>'from' <> 'contact'), '[]')
          || jsonb_build_array(jsonb_build_object(
               'from', 'contact', 'author', found.author, 'emoji', found.emoji, 'at', found.at))
      from found
      where message.business_id = found.business_id and message.id = found.id
        and (found.former_at is null or found.former_at <= found.at)
      returning message.business_id, message.id
    )
    select found.business_id, found.id, found.chat_id, found.state, found.at,
           changed.id is not null and found.emoji <> found.former_emoji as shows
    from found left join changed using (business_id, id)`,
};

/** A customer's reaction to a message that is known. */
export interface StoredReaction {
  readonly business_id: number;
  /** Of the message. */
  readonly id: number;
  readonly chat_id: number;
  readonly state: MessageState;
  readonly at: Date;
  /** The message looks different with it. */
  readonly shows: boolean;
}

/** Locks what a batch with reactions writes to; one without them needs nothing. */
export async function lockMessages(
  transaction: Queries,
  provider: string,
  statuses: readonly DeliveryStatus[],
  reactions: readonly IncomingReaction[],
): Promise<void> {
  if (reactions.length === 0) return;
  const news = [
    ...statuses.map(({ sender, platformMessageId, reference }) => ({
      sender,
      message_id: platformMessageId,
      reference,
    })),
    ...reactions.map(({ sender, messageId }) => ({ sender, message_id: messageId })),
  ];
  // All of them at once: in several parts they would not be in order.
  await transaction.rows(lock, [JSON.stringify(news), provider]);
}

/** Those of messages that are not known are dropped. */
export const storeReactions = (
  transaction: Queries,
  provider: string,
  reactions: readonly IncomingReaction[],
): Promise<StoredReaction[]> => {
  const rows = reactions.map(({ sender, from, name = from, messageId, emoji, occurredAt }, position) => ({
    position,
    sender,
    phone: from,
    author: name,
    message_id: messageId,
    emoji,
    at: occurredAt,
  }));
  return inChunks<StoredReaction>(transaction, react, rows, provider);
};

import type { Queries } from "../../../../infra/postgres/database.ts";
import { rankIn } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { deliveryStates } from "../../../../kernel/delivery.ts";
import type { DeliveryStatus } from "../../../../messaging/public.ts";
import { awaitsAnswer, mayReach } from "../../../domain/delivery.ts";
import { hasEarly, waking } from "../early-waking.ts";
import { idScope, isInScope } from "../message-ids.ts";
import { isChangedBy, stateAfter } from "../state-sql.ts";
import { type ChangedContact, type Intake, inChunks, type MovedMessage, newsOfSenders } from "./news.ts";

/** A status names its message by the platform's id, by our reference, or by both. The most advanced status wins. */
const moveStatuses = statement("incoming_statuses")`
  with given as (
    select sender.business_id, news.sender, news."platformMessageId" as message_id, news.reference,
           news."recipientId" as recipient_id, news.state, ${rankIn(deliveryStates, "news.state")} as rank,
           (news.error->>'code')::integer as code, news.error->>'reason' as reason,
           coalesce((news.error->>'optedOut')::boolean, false) as opted_out
    from ${newsOfSenders(`
      sender text, "platformMessageId" text, reference uuid, "recipientId" text, state text, error jsonb`)}
  ),
  matched as (
    select message.id, given.* from given join messages as message
      on message.business_id = given.business_id and message.platform_message_id = given.message_id
         and ${isInScope("message", "given.sender")}
    union all
    select message.id, given.* from given join messages as message
      on message.business_id = given.business_id and message.reference = given.reference
  ),
  furthest as (
    select distinct on (business_id, id) * from matched order by business_id, id, rank desc
  ),
  earlier as (
    select message.business_id, message.id, message.state as before, furthest.state, furthest.rank,
           furthest.sender, furthest.message_id, furthest.recipient_id, furthest.code, furthest.reason, furthest.opted_out
    from furthest join messages as message
      on message.business_id = furthest.business_id and message.id = furthest.id
      -- Checked again under the lock: an erasure may have removed both.
      and (message.platform_message_id = furthest.message_id or message.reference = furthest.reference)
    order by message.business_id, message.id
    for no key update of message
  ),
  moved as (
  update messages as message
  set state = earlier.state, lease_until = null,
      -- Another stored message may have the platform's id already.
      platform_message_id = coalesce(message.platform_message_id, (
        select earlier.message_id where not exists (
          select 1 from messages as other
          where other.business_id = earlier.business_id and other.platform_message_id = earlier.message_id
            and ${isInScope("other", "earlier.sender")}))),
      id_scope = case when message.platform_message_id is null then ${idScope("$2", "earlier.sender")}
                      else message.id_scope end,
      error_code = earlier.code, error_reason = earlier.reason
  from earlier
  where message.business_id = earlier.business_id and message.id = earlier.id
    and message.direction = 'out' and earlier.rank > ${rankIn(deliveryStates, "earlier.before")}
  returning message.business_id, message.id, message.chat_id, message.conversation_id, earlier.before,
            message.state, earlier.recipient_id, earlier.opted_out, message.takes_conversation, message.platform_message_id
  ),
  ${waking("moved")}
  select business_id, id, chat_id, conversation_id, before, state, recipient_id, opted_out, takes_conversation,
         ${hasEarly("moved.business_id", "moved.platform_message_id")} as "hasEarly"
  from moved`;

/**
 * Stores opt-outs and the recipients' platform ids. The ids are missing if the platform's answer to the send was lost.
 * Contacts are locked one by one in the order of `given`, which is by id.
 */
const storeRecipients = statement("incoming_recipients")`
  with given as (
    select distinct on (contact.business_id, contact.id) contact.business_id, contact.id, news.recipient_id,
           news.opted_out
    from jsonb_to_recordset($1::jsonb) as news(
      business_id bigint, chat_id bigint, recipient_id text, opted_out boolean)
    cross join lateral (
      select contact_id from chats where business_id = news.business_id and id = news.chat_id offset 0
    ) as chat
    cross join lateral (
      select business_id, id from contacts
      where business_id = news.business_id and id = chat.contact_id and erased_at is null offset 0
    ) as contact
    order by contact.business_id, contact.id, news.opted_out desc
  ),
  locked as (
    select contact.business_id, contact.id, given.opted_out, case when given.opted_out then now() end as opted_out_at,
           case when contact.known_on is null then given.recipient_id end as recipient_id
    from given cross join lateral (
      select business_id, id, known_on from contacts
      where business_id = given.business_id and id = given.id and erased_at is null
      for no key update
    ) as contact
  )
  update contacts as contact
  set platform_id = coalesce(locked.recipient_id, contact.platform_id),
      opted_out_at = least(contact.opted_out_at, locked.opted_out_at)
  from locked where contact.business_id = locked.business_id and contact.id = locked.id
    and (locked.recipient_id <> contact.platform_id or locked.opted_out and contact.opted_out_at is null)
  returning contact.business_id, contact.id`;

/** Moves conversations to their state after an answer, because a delivery status confirmed that the answer was sent. */
const takeConversations = statement("incoming_take_conversations")`
  update conversations as conversation set state = ${stateAfter("answer")}
  from (
    select conversation.business_id, conversation.id from conversations as conversation
    where (conversation.business_id, conversation.id) in (
        select message.business_id, message.conversation_id
        from jsonb_to_recordset($1::jsonb) as news(business_id bigint, id bigint)
        join messages as message on message.business_id = news.business_id and message.id = news.id)
      and ${isChangedBy("answer")} and conversation.closed_at is null
    order by conversation.business_id, conversation.id
    for no key update
  ) as waiting
  where conversation.business_id = waiting.business_id and conversation.id = waiting.id`;

/** Applies statuses to outgoing messages and returns those that advanced. */
export const moveMessages = (intake: Intake, statuses: readonly DeliveryStatus[]): Promise<MovedMessage[]> =>
  intake.inChunks(moveStatuses, statuses);

/** Messages whose status carries news about the recipient. */
export const withRecipientNews = (moved: readonly MovedMessage[]): MovedMessage[] =>
  moved.filter((row) => row.opted_out || (awaitsAnswer(row.before) && row.recipient_id));

/** Stores the statuses' news about recipients and returns the changed contacts, which stay locked. */
export async function updateRecipients(transaction: Queries, news: readonly MovedMessage[]): Promise<ChangedContact[]> {
  return inChunks<ChangedContact>(
    transaction,
    storeRecipients,
    news.map(({ business_id, chat_id, recipient_id, opted_out, takes_conversation }) => ({
      business_id,
      chat_id,
      // No id for templates and answers (`takes_conversation`): these may go to another number than the contact's.
      recipient_id: takes_conversation ? null : recipient_id,
      opted_out,
    })),
  );
}

/** Sorts the news by conversation across all chunks, because the statement of each chunk locks conversations by id. */
export async function takeConversationsOf(transaction: Queries, moved: readonly MovedMessage[]): Promise<void> {
  const news = moved
    .filter((row) => awaitsAnswer(row.before) && mayReach(row.state) && row.takes_conversation)
    .sort((a, b) => a.business_id - b.business_id || a.conversation_id - b.conversation_id);
  await inChunks(
    transaction,
    takeConversations,
    news.map(({ business_id, id }) => ({ business_id, id })),
  );
}

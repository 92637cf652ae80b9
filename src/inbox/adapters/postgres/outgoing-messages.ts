import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import { quoted } from "../../../infra/postgres/sql-text.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type {
  MessageUnderWay,
  OutgoingChatMessage,
  OutgoingMessage,
  OutgoingMessages,
  Settlement,
} from "../../application/ports.ts";
import { unansweredStates } from "../../domain/delivery.ts";
import { announcing, messageColumns } from "./announce-sql.ts";
import { isChangedBy, messageState, stateAfter } from "./state-sql.ts";
import { findingRooms, findingThreads } from "./thread-sql.ts";

const open: Statement = {
  name: "message_open",
  text: `
    with wanted as (
      select $1::bigint as business_id, $2::text as provider, $3::text as phone, $4::text as name, null::text as ad_id
    ),
    ${findingThreads}
    insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                          template_id, state, reference, attempt, lease_until)
    select business_id, chat_id, conversation_id, 'out', $5, $6, $7, 'business', $8,
           $9::bigint, ${messageState.sending}, gen_random_uuid(), 1, now() + make_interval(secs => $10)
    from threads
    returning id, attempt, reference`,
};

const openInChat: Statement = {
  name: "message_open_in_chat",
  text: `
    with owners as (
      select chat.business_id, chat.contact_id, chat.provider, null::text as ad_id
      from chats as chat where chat.business_id = $1 and chat.id = $2
    ),
    ${findingRooms}
    insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                          template_id, author_user_id, category_id, dated_at, takes_conversation, state, reference,
                          attempt, lease_until)
    select business_id, chat_id, conversation_id, 'out', $3, $4, $5, $6, $7, $8::bigint, $9::bigint, $10::bigint,
           $11::timestamptz, $12::boolean, ${messageState.sending}, gen_random_uuid(), 1,
           now() + make_interval(secs => $13)
    from talks
    returning id, attempt, reference`,
};

/** §3: whoever is written to no longer waits. Before the message is settled, so that its events tell. */
const takeConversation: Statement = {
  name: "message_take_conversation",
  text: `
    update conversations as conversation set state = ${stateAfter("answer")}
    from messages as message
    where message.business_id = $1 and message.id = $2 and message.takes_conversation
      and message.state in (${quoted(...unansweredStates)})
      and conversation.business_id = message.business_id and conversation.id = message.conversation_id
      and ${isChangedBy("answer")} and conversation.closed_at is null`,
};

const settle: Statement = {
  name: "message_settle",
  text: `
    with moved as (
      update messages as message
      set state = $4, platform_message_id = coalesce(message.platform_message_id, $5), error_code = $6,
          error_reason = $7, lease_until = null
      from (select state as before from messages where business_id = $1 and id = $2 for no key update) as earlier
      where message.business_id = $1 and message.id = $2 and message.attempt = $3
        and earlier.before in (${quoted(...unansweredStates)}) and earlier.before <> $4
      returning ${messageColumns}, earlier.before
    ),
    ${announcing()}
    select business_id, number, name, payload, at from logged order by number`,
};

/**
 * Whatever news came first: who the recipient is on the platform, and that they opted out, holds all the same. Unless
 * the message went to a number that is not the contact's: what is learned of that one is somebody else's.
 */
const learnRecipient: Statement = {
  name: "message_recipient",
  text: `
    update contacts as contact
    set platform_id = coalesce($3, contact.platform_id),
        opted_out_at = case when $4::boolean then coalesce(contact.opted_out_at, now()) else contact.opted_out_at end
    from messages as message
    join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
    where message.business_id = $1 and message.id = $2
      and contact.business_id = chat.business_id and contact.id = chat.contact_id
      and $5 in (contact.phone, contact.platform_id)
      and (contact.platform_id <> $3 or ($4::boolean and contact.opted_out_at is null))`,
};

const settleExpired: Statement = {
  name: "message_settle_expired",
  text: `
    with moved as (
      update messages as message
      set state = ${messageState.unknown}, lease_until = null,
          error_reason = 'the sender stopped before it knew the outcome'
      from (
        select business_id, id, state as before from messages
        where state = ${messageState.sending} and lease_until < now()
        order by business_id, id limit $1
        for no key update skip locked
      ) as earlier
      where message.business_id = earlier.business_id and message.id = earlier.id
      returning ${messageColumns}, earlier.before
    ),
    ${announcing()}
    select business_id, number, name, payload, at from logged order by business_id, number`,
};

export class PostgresOutgoingMessages implements OutgoingMessages {
  /** @param leaseSeconds - longer than any request to a platform may take */
  constructor(
    private readonly database: Queries,
    private readonly leaseSeconds: number,
  ) {}

  async open(message: OutgoingMessage): Promise<MessageUnderWay> {
    const { businessId, provider, phone, contactName, kind, body, mediaUrl, authorName, templateId } = message;
    const [row] = await this.database.rows<{ id: number; attempt: number; reference: string }>(open, [
      businessId,
      provider,
      phone,
      contactName,
      kind,
      body,
      mediaUrl ?? null,
      authorName,
      templateId ?? null,
      this.leaseSeconds,
    ]);
    if (!row) throw new Error(`no thread was made in business ${businessId}`);
    return { businessId, to: phone, ...row };
  }

  async openInChat(message: OutgoingChatMessage): Promise<MessageUnderWay | null> {
    const [row] = await this.database.rows<{ id: number; attempt: number; reference: string }>(openInChat, [
      message.businessId,
      message.chatId,
      message.kind,
      message.body,
      message.mediaUrl ?? null,
      message.author,
      message.authorName,
      message.templateId ?? null,
      message.authorUserId,
      message.categoryId,
      message.datedAt,
      message.takesConversation,
      this.leaseSeconds,
    ]);
    const { businessId, to, takesConversation } = message;
    return row ? { businessId, to, takesConversation, ...row } : null;
  }

  async settle(message: MessageUnderWay, settlement: Settlement): Promise<LoggedEvent[]> {
    const sent = settlement.state === "sent" ? settlement : undefined;
    const failed = settlement.state === "failed" ? settlement : undefined;
    if (sent && message.takesConversation) {
      await this.database.rows(takeConversation, [message.businessId, message.id]);
    }
    const rows = await this.database.rows<LoggedEventRow>(settle, [
      message.businessId,
      message.id,
      message.attempt,
      settlement.state,
      sent?.platformMessageId ?? null,
      failed?.code ?? null,
      settlement.state === "sent" ? null : settlement.reason,
    ]);
    const recipientId = sent?.recipientId ?? null;
    const optedOut = failed?.optedOut ?? false;
    if ((recipientId !== null && recipientId !== message.to) || optedOut) {
      await this.database.rows(learnRecipient, [message.businessId, message.id, recipientId, optedOut, message.to]);
    }
    return rows.map(toLoggedEvent);
  }

  async settleExpired(limit: number): Promise<LoggedEvent[]> {
    return (await this.database.rows<LoggedEventRow>(settleExpired, [limit])).map(toLoggedEvent);
  }
}

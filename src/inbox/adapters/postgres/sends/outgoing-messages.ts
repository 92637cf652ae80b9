import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import type { Queries } from "../../../../infra/postgres/database.ts";
import { uniqueViolation } from "../../../../infra/postgres/database-failure.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { eventColumns, loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { ChannelName } from "../../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import {
  type NewMessage,
  type OpenedMessage,
  type OutgoingMessages,
  type Sender,
  type SendOutcome,
  settledStates,
} from "../../../../messaging/public.ts";
import type { DigestOfNumber } from "../../../application/contacts/ports.ts";
import { unansweredStates } from "../../../domain/delivery.ts";
import { announcing, messageColumns, nameAndPayload } from "../announce-sql.ts";
import { hasEarly, waking } from "../early-waking.ts";
import { idScopeOf, isInScope } from "../message-ids.ts";
import { isChangedBy, messageState, stateAfter } from "../state-sql.ts";
import { forNumber, inChat, openMessage } from "./opened-messages.ts";

/**
 * Ends the contact's wait after a message from the business. Runs before `settle`, because the events of `settle`
 * contain the conversation's state.
 */
const takeConversation = statement("message_take_conversation")`
  update conversations as conversation set state = ${stateAfter("answer")}
  from messages as message
  where message.business_id = $1 and message.id = $2 and message.takes_conversation
    and message.state in (${quoted(...unansweredStates)})
    and conversation.business_id = message.business_id and conversation.id = message.conversation_id
    and ${isChangedBy("answer")} and conversation.closed_at is null`;

const settle = statement("message_settle")`
  with earlier as (
    select state as before from messages where business_id = $1 and id = $2 and attempt = $3 for no key update
  ),
  -- An echo of the message may have been stored with the same id.
  named as (
    select $5::text as id
    where $5::text is not null and not exists (
      select 1 from messages
      where business_id = $1 and platform_message_id = $5 and ${isInScope("messages", "$8")})
  ),
  moved as (
    update messages as message
    set state = $4, platform_message_id = coalesce(message.platform_message_id, (select id from named)),
        id_scope = case when message.platform_message_id is null then $8 else message.id_scope end,
        error_code = $6, error_reason = $7, lease_until = null
    from earlier
    where message.business_id = $1 and message.id = $2
      and earlier.before in (${quoted(...unansweredStates)}) and earlier.before <> $4
    returning ${messageColumns}, earlier.before
  ),
  -- An echo with the same content may have settled this message before, with the id of another one.
  renamed as (
    update messages as message set platform_message_id = named.id, id_scope = $8
    from earlier cross join named
    where message.business_id = $1 and message.id = $2 and message.platform_message_id <> named.id
      and earlier.before not in (${quoted(...unansweredStates)})
  ),
  called as (select $1::bigint as business_id, id as platform_message_id from named),
  ${waking("called")},
  ${announcing()}
  select ${eventColumns}, ${hasEarly("$1", "$5")} as "hasEarly"
  from logged order by number`;

/**
 * Stores the recipient's platform id and opt-out, even if a delivery status or an echo settled the message first.
 * Changes nothing if the contact no longer has the number that the message went to.
 */
const storeRecipient = statement("message_recipient")`
  with told as materialized (select case when $4::boolean then now() end as opted_out_at),
  contact as (
    update contacts as contact
    set platform_id = case when contact.known_on is null then coalesce($3, contact.platform_id)
                           else contact.platform_id end,
        opted_out_at = least(contact.opted_out_at, told.opted_out_at)
    from told cross join messages as message
    join chats as chat on chat.business_id = message.business_id and chat.id = message.chat_id
    where message.business_id = $1 and message.id = $2
      and contact.business_id = chat.business_id and contact.id = chat.contact_id
      and $5 in (contact.phone, contact.platform_id)
      and (contact.known_on is null and contact.platform_id <> $3 or ($4::boolean and contact.opted_out_at is null))
    returning contact.*
  ),
  events as (
    select contact.business_id, 0 as position, ${nameAndPayload("contact:changed")} from contact
  ),
  ${loggedEvents}`;

const settleExpired = statement("message_settle_expired")`
  with moved as (
    update messages as message
    set state = ${messageState.unknown}, lease_until = null,
        error_reason = 'the sender stopped before it knew the outcome'
    from (
      select business_id, id, state as before from messages
      where state = ${messageState.sending} and lease_until < now() and ${livesHere("business_id")}
      order by business_id, id limit $1
      for no key update skip locked
    ) as earlier
    where message.business_id = earlier.business_id and message.id = earlier.id
    returning ${messageColumns}, earlier.before
  ),
  ${announcing()}
  select ${eventColumns} from logged order by business_id, number`;

export class PostgresOutgoingMessages implements OutgoingMessages {
  /** @param leaseSeconds - must be longer than any request to a platform */
  constructor(
    private readonly cells: Cells,
    private readonly leaseSeconds: number,
    private readonly digestOf: DigestOfNumber,
    /** Called if early statuses or news wait for a message whose platform id is known now; must return at once. */
    private readonly onEarly: () => void,
  ) {}

  async open(message: NewMessage, channel: ChannelName): Promise<OpenedMessage | null> {
    const { businessId, thread } = message;
    const place =
      "chatId" in thread
        ? inChat(thread.chatId)
        : forNumber(channel, thread.phone, thread.contactName, this.digestOf(thread.phone));
    return openMessage(this.cells.of(businessId), message, channel, this.leaseSeconds, place);
  }

  async settle(message: OpenedMessage, outcome: SendOutcome, sender: Sender | null = null): Promise<LoggedEvent[]> {
    const { businessId, id, attempt, to } = message;
    const refusal = outcome.kind === "refused" ? outcome.refusal : null;
    const accepted = outcome.kind === "accepted" ? outcome : null;
    const cell = this.cells.of(businessId);
    if (accepted && message.takesConversation) await cell.rows(takeConversation, [businessId, id]);
    const events = await this.settleOn(cell, [
      businessId,
      id,
      attempt,
      settledStates[outcome.kind],
      accepted?.platformMessageId ?? null,
      refusal?.code ?? null,
      refusal?.reason ?? ("reason" in outcome ? outcome.reason : null),
      sender ? idScopeOf(sender.channel, sender.platformId) : "",
    ]);
    const recipientId = accepted?.recipientId ?? null;
    const optedOut = refusal?.class === "opted-out";
    if ((recipientId !== null && recipientId !== to) || optedOut) {
      const values = [businessId, id, recipientId, optedOut, to];
      events.push(...(await cell.rows<LoggedEvent>(storeRecipient, values)));
    }
    return events;
  }

  private async settleOn(cell: Queries, values: readonly unknown[]): Promise<LoggedEvent[]> {
    const asked = () => cell.rows<LoggedEvent & { readonly hasEarly: boolean }>(settle, values);
    // A unique violation means that an echo with the same id was just stored. The second run sees the echo.
    const rows = await asked().catch((error: { code?: unknown }) => {
      if (error.code !== uniqueViolation) throw error;
      return asked();
    });
    if (rows.some(({ hasEarly }) => hasEarly)) this.onEarly();
    return rows.map(({ hasEarly, ...event }) => event);
  }

  settleExpired(limit: number): Promise<LoggedEvent[]> {
    return everywhere(this.cells, (cell) => cell.rows<LoggedEvent>(settleExpired, [limit]));
  }
}

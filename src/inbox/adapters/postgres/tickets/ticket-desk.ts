import type { Queries } from "../../../../infra/postgres/database.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import { agentRole, maxId } from "../../../../kernel/ids.ts";
import { kindOf, type OpenedMessage } from "../../../../messaging/public.ts";
import type { DigestOfNumber } from "../../../application/contacts/ports.ts";
import type { AgentLine } from "../../../application/lines/ports.ts";
import type {
  Author,
  ConversationThread,
  MadeTicket,
  NewTicket,
  ThreadMessage,
  ThreadNote,
  TicketDesk,
} from "../../../application/tickets/ports.ts";
import type { Holder } from "../../../domain/acting.ts";
import type { AgentLoad } from "../../../domain/assignment.ts";
import { agentChangedRows, nameAndPayload } from "../announce-sql.ts";
import { audienceOf, chatJoins, holderOf, ticketJoins } from "../chat-sql.ts";
import { isChangedBy, stateAfter, ticketState } from "../state-sql.ts";
import { findingThreadsOrNone } from "../thread-sql.ts";
import { note, open } from "./ticket-messages-sql.ts";

const findThread = statement("ticket_thread")`
  with latest as (
    select chat.provider
    from contacts as contact join chats as chat
      on chat.business_id = contact.business_id and chat.contact_id = contact.id
    where contact.business_id = $1 and (contact.phone = $2 or contact.platform_id = $2 and contact.known_on is null)
    order by contact.phone = $2 desc, contact.id, chat.last_message_at desc nulls last, chat.id desc
    limit 1
  ),
  wanted as (
    select $1::bigint as business_id, coalesce((select provider from latest), $4::text) as provider,
           $2::text as customer, $3::text as name, $5::bytea as digest, null::text as ad_id
  ),
  ${findingThreadsOrNone}
  select chat_id as "chatId", conversation_id as "conversationId" from threads`;

/** Locks the conversation before the chat, as everywhere. The condition on the count only enforces this order. */
const holder = statement("chat_holder")`
  with open_conversation as materialized (
    select id from conversations where business_id = $1 and chat_id = $2 and closed_at is null for no key update
  )
  select ${holderOf("chat")} as holder
  from chats as chat
  where chat.business_id = $1 and chat.id = $2 and (select count(*) from open_conversation) >= 0
  for no key update of chat`;

const openTicket = statement("ticket_open_of_chat")`
  select id from tickets where business_id = $1 and chat_id = $2 and step_id = $3 and closed_at is null`;

const agents = statement("ticket_agents")`
  select agent.id, agent.name, held.open as load, held.last as "lastGiven",
         $2::bigint is null or member.user_id is not null as "takesAll"
  from users as agent
  left join department_agents as member
    on member.business_id = agent.business_id and member.department_id = $2 and member.user_id = agent.id
  cross join lateral (
    select (select count(*) from tickets
            where business_id = agent.business_id and agent_id = agent.id and closed_at is null) as open,
           (select max(id) from tickets where business_id = agent.business_id and agent_id = agent.id) as last
  ) as held
  where agent.business_id = $1 and agent.role_id = ${agentRole} and agent.active and agent.available
    and ($2 is null or member.user_id is not null or agent.id = any($3::bigint[]))
  order by agent.id = any($3) desc, held.open, held.last nulls first, agent.id
  limit 500`;

/**
 * Locks the open conversations, then their chats. The chat of a closed conversation stays unlocked: the caller may
 * open a new conversation, and a conversation must be locked before its chat.
 */
const lockThreads = statement("ticket_lock_threads")`
  with open_conversations as materialized (
    select chat_id from conversations where business_id = $1 and id = any($2::bigint[]) and closed_at is null
    order by id for no key update
  )
  select id from chats where business_id = $1 and id = any(array(select chat_id from open_conversations))
  order by id for no key update`;

/** Runs after the locks, so it sees changes that the locks waited for. */
const standing = statement("ticket_thread_stands")`
  select 1 from conversations as conversation
  join chats as chat on chat.business_id = conversation.business_id and chat.id = conversation.chat_id
  join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
  where conversation.business_id = $1 and conversation.id = $2 and conversation.closed_at is null
    and contact.erased_at is null`;

/** An earlier statement must have locked the chats and conversations. */
const create = statement("ticket_create")`
  with given as (
    select * from jsonb_to_recordset($2::jsonb) as ticket(
      position integer, "chatId" bigint, "conversationId" bigint, "stepId" bigint, "agentId" bigint,
      "tagIds" bigint[])
  ),
  chats_before as materialized (
    select chat.id, ${audienceOf("chat")} as was from chats as chat
    where chat.business_id = $1 and chat.id in (select "chatId" from given)
  ),
  made as (
    insert into tickets (business_id, chat_id, conversation_id, step_id, agent_id, state)
    select $1::bigint, "chatId", "conversationId", "stepId", "agentId", ${ticketState.pending} from given order by position
    returning id, chat_id, conversation_id, step_id, agent_id
  ),
  tags_given as materialized (
    select tag.business_id, given."chatId" as chat_id, tag.id
    from given join tags as tag on tag.business_id = $1 and tag.id = any(given."tagIds")
  ),
  tagged as (
    insert into chat_tags (business_id, chat_id, tag_id)
    select business_id, chat_id, id from tags_given
    order by 2, 3
    on conflict do nothing
    returning chat_id, tag_id
  ),
  funnel as (
    insert into funnel_events (business_id, type, chat_id, step_id, tag_id, ticket_id)
    select $1, 'ticket_created', chat_id, step_id, null::bigint, id from made
    union all
    select $1, 'assigned_tag', chat_id, step_id, tag_id, id from tagged join made using (chat_id)
  ),
  taken as (
    update conversations as conversation set state = ${stateAfter("ticket")}
    from made
    where conversation.business_id = $1 and conversation.id = made.conversation_id and ${isChangedBy("ticket")}
  ),
  assigned as (
    update chats as chat set support_user_id = made.agent_id, bot_available = false, department_id = step.department_id
    from chats_before join made on made.chat_id = chats_before.id
    join steps as step on step.business_id = $1 and step.id = made.step_id
    where chat.business_id = $1 and chat.id = chats_before.id
  ),
  served as (
    delete from waiting_tickets as waiting using given
    where waiting.business_id = $1 and waiting.chat_id = given."chatId" and waiting.step_id = given."stepId"
  ),
  unqueued as (
    delete from waiting_chats where business_id = $1 and chat_id in (select "chatId" from given)
  )
  select made.id, made.chat_id as "chatId", chats_before.was
  from made join given on given."chatId" = made.chat_id join chats_before on chats_before.id = made.chat_id
  order by position`;

const announce = statement("ticket_announce")`
  with given as (
    select id, was from jsonb_to_recordset($2::jsonb) as ticket(id bigint, was jsonb)
  ),
  events as (
    select chat.business_id, ticket.id * 2 as position, ${nameAndPayload("chat:changed")}
    from given
    join tickets as ticket on ticket.business_id = $1 and ticket.id = given.id
    join chats as chat on chat.business_id = ticket.business_id and chat.id = ticket.chat_id
    ${chatJoins}
    union all
    select ticket.business_id, ticket.id * 2 + 1, ${nameAndPayload("ticket:new")}
    from given
    join tickets as ticket on ticket.business_id = $1 and ticket.id = given.id
    join chats as chat on chat.business_id = ticket.business_id and chat.id = ticket.chat_id
    join contacts as contact on contact.business_id = ticket.business_id and contact.id = chat.contact_id
    join conversations as conversation
      on conversation.business_id = ticket.business_id and conversation.id = ticket.conversation_id
    ${ticketJoins}
    join users as agent on agent.business_id = ticket.business_id and agent.id = ticket.agent_id
    union all
    ${agentChangedRows(
      String(maxId),
      "any(array(select agent_id from tickets where business_id = $1 and id in (select id from given)))",
    )}
  ),
  ${loggedEvents}`;

/** Concurrent changes can make a thread vanish between look-up and lock; that hardly ever happens twice in a row. */
const mostAttempts = 8;

/** Lock order: lines, conversations, chats, event counters. */
export class PostgresTicketDesk implements TicketDesk {
  /**
   * @param defaultProvider - the channel of new chats
   * @param leaseSeconds - must be longer than any request to a platform
   */
  constructor(
    private readonly transaction: Queries,
    private readonly defaultProvider: string,
    private readonly leaseSeconds: number,
    private readonly digestOf: DigestOfNumber,
  ) {}

  async thread(businessId: number, phone: string, contactName: string): Promise<ConversationThread> {
    const values = [businessId, phone, contactName, this.defaultProvider, this.digestOf(phone)];
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const [thread] = await this.transaction.rows<ConversationThread>(findThread, values);
      if (!thread) continue;
      await this.lockThreads(businessId, [thread]);
      const found = await this.transaction.rows(standing, [businessId, thread.conversationId]);
      if (found.length > 0) return thread;
    }
    throw new Error(`a contact's conversations in business ${businessId} close as soon as they are found`);
  }

  async lockThreads(businessId: number, threads: readonly ConversationThread[]): Promise<void> {
    const conversationIds = threads.map(({ conversationId }) => conversationId);
    await this.transaction.rows(lockThreads, [businessId, conversationIds]);
  }

  async holder(businessId: number, chatId: number): Promise<Holder | null> {
    const [chat] = await this.transaction.rows<{ holder: Holder | null }>(holder, [businessId, chatId]);
    return chat?.holder ?? null;
  }

  async openTicket(businessId: number, chatId: number, stepId: number): Promise<number | null> {
    const [ticket] = await this.transaction.rows<{ id: number }>(openTicket, [businessId, chatId, stepId]);
    return ticket?.id ?? null;
  }

  agents({ businessId, departmentId }: AgentLine, named: readonly number[]): Promise<AgentLoad[]> {
    return this.transaction.rows<AgentLoad>(agents, [businessId, departmentId, named]);
  }

  create(businessId: number, tickets: readonly NewTicket[]): Promise<MadeTicket[]> {
    return this.transaction.rows<MadeTicket>(create, [businessId, inOrder(tickets)]);
  }

  announce(businessId: number, tickets: readonly MadeTicket[]): Promise<LoggedEvent[]> {
    return this.transaction.rows<LoggedEvent>(announce, [businessId, JSON.stringify(tickets)]);
  }

  note({ businessId, authorName }: Author, notes: readonly ThreadNote[]): Promise<LoggedEvent[]> {
    return this.transaction.rows<LoggedEvent>(note, [businessId, authorName, inOrder(notes)]);
  }

  async openMessages({ businessId, authorName }: Author, messages: readonly ThreadMessage[]): Promise<OpenedMessage[]> {
    if (messages.length === 0) return [];
    const rows = messages.map(({ content, ...thread }) => {
      return { ...thread, kind: kindOf(content), text: content.text, mediaUrl: content.media?.link };
    });
    const values = [businessId, authorName, inOrder(rows), this.leaseSeconds];
    const opened = await this.transaction.rows<Omit<OpenedMessage, "content">>(open, values);
    // The rows have the order of `messages`.
    return opened.flatMap((row, index) => {
      const message = messages[index];
      return message ? [{ ...row, content: message.content }] : [];
    });
  }
}

/** Adds a `position`, which the statements use as the order. */
const inOrder = (rows: readonly object[]): string =>
  JSON.stringify(rows.map((row, position) => ({ position, ...row })));

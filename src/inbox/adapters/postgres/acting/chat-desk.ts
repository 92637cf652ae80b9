import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { jsonOf } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import { maxId } from "../../../../kernel/ids.ts";
import type { ChatChange, ChatDesk, HeldChat, OpenConversation } from "../../../application/acting/ports.ts";
import type { ChatView } from "../../../application/events.ts";
import type { ConversationState } from "../../../domain/conversation.ts";
import { openTicketsAfter, type TicketEnd } from "../../../domain/ticket.ts";
import type { Viewer } from "../../../domain/visibility.ts";
import { agentChangedRows, nameAndPayload } from "../announce-sql.ts";
import { audienceOf, chatJoins, holderOf, storedChatFields, ticketJoins, windowed, windowUntil } from "../chat-sql.ts";
import { isChangedBy, stateAfter, ticketState } from "../state-sql.ts";
import { isVisible, isWithinReach, viewerOf } from "../visibility-sql.ts";

/**
 * Concurrent calls get the same conversation. The update sets no key column, so that messages can be inserted into the
 * conversation at the same time.
 */
const findOrOpen = statement("desk_find_or_open")`
  insert into conversations as conversation (business_id, chat_id, state)
  select business_id, id, $3 from chats where business_id = $1 and id = $2
  on conflict (business_id, chat_id) where closed_at is null do update set ad_id = conversation.ad_id
  returning id as "conversationId", xmax = 0 as "isNew"`;

const enterFirst = statement("desk_enter_first")`
  insert into conversations as conversation (business_id, chat_id, state)
  select chat.business_id, chat.id, $3 from chats as chat
  where chat.business_id = $1 and chat.id = $2 and not exists (
    select 1 from conversations as known where known.business_id = chat.business_id and known.chat_id = chat.id)
  on conflict (business_id, chat_id) where closed_at is null do update set ad_id = conversation.ad_id`;

const lockOpen = statement("desk_lock_open")`
  select id from conversations where business_id = $1 and chat_id = any($2::bigint[]) and closed_at is null
  order by id for no key update`;

/**
 * Locks the conversation, then the chat: `count(*)` of `open_conversation` enforces this order. Only the columns of
 * `chat` are read under the lock; other tables are read as of the statement's start. So values of other tables that an
 * earlier holder of the lock may have changed are read afterwards, by `belongings`.
 */
const hold = statement("desk_hold")`
  with ${viewerOf("$1", "$2::bigint")},
  open_conversation as materialized (
    select id from conversations where business_id = $1 and chat_id = $4 and closed_at is null for no key update
  )
  select chat.business_id as "businessId", chat.id as "chatId", chat.state, chat.provider, chat.contact_id as "contactId",
         ${holderOf("chat")} as holder,
         ${isVisible} as "isVisible", ${windowed("chat")} as "isWindowed",
         ${windowUntil("chat")} is not null as "isWindowOpen", ${audienceOf("chat")} as audience,
         business.name as "businessName",
         (select name from users where users.business_id = $1 and users.id = $3::bigint) as "userName"
  from chats as chat
  join businesses as business on business.id = chat.business_id
  where chat.business_id = $1 and chat.id = $4 and (select count(*) from open_conversation) >= 0 and ${isWithinReach}
  for no key update of chat`;

/** Runs after the chat is locked, so it sees what was committed while the transaction waited for that lock. */
const belongings = statement("desk_belongings")`
  select coalesce(phone, '') as phone, coalesce(platform_id, '') as "platformId",
         erased_at is not null as "isErased",
         (select id from conversations where business_id = $1 and chat_id = $3
          order by id desc limit 1) as "conversationId"
  from contacts where business_id = $1 and id = $2`;

const openTickets = "ticket.business_id = $1 and ticket.chat_id = $2 and ticket.closed_at is null";
const openConversation =
  "conversation.business_id = $1 and conversation.chat_id = $2 and conversation.closed_at is null";

const ofEarlier = "ticket.business_id = $1 and ticket.id = earlier.id";

/** The CTE `earlier` locks the chat's open tickets. Its column `before` is the ticket's agent before the change. */
const ticketsBefore = `
    earlier as materialized (
      select ticket.id, ticket.agent_id as before from tickets as ticket where ${openTickets}
      order by ticket.id for no key update
    )`;

/** CTEs that move the open conversation and the open tickets; `agent` gets the tickets. */
const moving = (move: keyof typeof openTicketsAfter, agent: string): string => `
    talked as (
      update conversations as conversation set state = ${stateAfter(move)}
      where ${openConversation} and ${isChangedBy(move)}
    ),
    ${ticketsBefore},
    moved as (
      update tickets as ticket set state = ${ticketState[openTicketsAfter[move]]}, agent_id = ${agent}
      from earlier where ${ofEarlier}
    )`;

const waitingNoMore = `
    served as (delete from waiting_tickets where business_id = $1 and chat_id = $2),
    unqueued as (delete from waiting_chats where business_id = $1 and chat_id = $2)`;

/**
 * A chat without `last_message_at` is in no inbox, for example a chat with only a campaign's message. When such a chat
 * gets an agent or waits for one, the chat gets a time and appears in the inbox. The time is in a CTE, because engines
 * with sharded schemas refuse `now()` in a `coalesce` of an update.
 */
const present = "present as materialized (select now() as at)";
const enteringInbox = "last_message_at = coalesce(last_message_at, present.at) from present";

/** Returns the agents whose number of open tickets changed. */
const attend = statement("desk_attend")`
  with ${moving("attend", "$3::bigint")},
  ${waitingNoMore},
  ${present},
  assigned as (
    update chats set support_user_id = $3::bigint, bot_available = false,
                     department_id = coalesce($4::bigint, department_id), ${enteringInbox}
    where business_id = $1 and id = $2
  )
  select distinct agent.id from earlier cross join lateral (values (before), ($3::bigint)) as agent(id)
  where before is distinct from $3::bigint and agent.id is not null`;

/** A chat that already waits for the department keeps its place. Returns agents as `attend` does. */
const queue = statement("desk_queue")`
  with ${moving("queue", "null")},
  served as (
    delete from waiting_tickets as waiting using steps as step
    where waiting.business_id = $1 and waiting.chat_id = $2
      and step.business_id = waiting.business_id and step.id = waiting.step_id
      and ($3::bigint is null or step.department_id is distinct from $3)
  ),
  unqueued as (
    delete from waiting_chats
    where business_id = $1 and chat_id = $2 and ($3::bigint is null or department_id <> $3)
  ),
  ${present},
  assigned as (
    update chats set support_user_id = null, bot_available = false,
                     department_id = coalesce($3::bigint, department_id), ${enteringInbox}
    where business_id = $1 and id = $2
  )
  select distinct before as id from earlier where before is not null`;

const close = statement("desk_close")`
  with talked as (
    update conversations as conversation set closed_at = now(), close_reason = $4 where ${openConversation}
  ),
  ${ticketsBefore},
  ended as (
    update tickets as ticket set state = $3, closed_at = now(), close_reason = $4 from earlier where ${ofEarlier}
  ),
  ${waitingNoMore},
  released as (update chats set bot_available = true where business_id = $1 and id = $2)
  select distinct before as id from earlier where before is not null`;

/** The events of each chat are followed by those of its tickets; events of agents come last. */
const announce = statement("desk_announce")`
  with given as (
    select * from jsonb_to_recordset($2::jsonb) as change(
      position bigint, "chatId" bigint, was jsonb, "withTickets" boolean)
  ),
  events as (
    select chat.business_id, array[given.position, 0, 0] as position, ${nameAndPayload("chat:changed")}
    from given join chats as chat on chat.business_id = $1 and chat.id = given."chatId"
    ${chatJoins}
    union all
    select ticket.business_id, array[given.position, 1, ticket.id], ${nameAndPayload("ticket:changed")}
    from given
    join chats as chat on chat.business_id = $1 and chat.id = given."chatId"
    join tickets as ticket on ticket.business_id = chat.business_id and ticket.chat_id = chat.id
    ${ticketJoins}
    left join users as agent on agent.business_id = ticket.business_id and agent.id = ticket.agent_id
    where given."withTickets" and (ticket.closed_at is null or ticket.closed_at = now())
    union all
    ${agentChangedRows(`array[${maxId}, 0, agent.id]`, "any($3::bigint[])")}
  ),
  ${loggedEvents}`;

const view = statement("desk_view")`
  select ${jsonOf(storedChatFields)} as chat from chats as chat ${chatJoins}
  where chat.business_id = $1 and chat.id = $2`;

const activeUser = statement("desk_user")`select id from users where business_id = $1 and id = $2 and active`;

type Belongings = Pick<HeldChat, "phone" | "platformId" | "isErased" | "conversationId">;

export class PostgresChatDesk implements ChatDesk {
  constructor(private readonly transaction: Queries) {}

  async openConversation(
    businessId: number,
    chatId: number,
    begins: ConversationState,
  ): Promise<OpenConversation | null> {
    const [row] = await this.transaction.rows<OpenConversation>(findOrOpen, [businessId, chatId, begins]);
    return row ?? null;
  }

  async hold({ businessId, agentId, userId }: Viewer, chatId: number): Promise<HeldChat | null> {
    const [chat] = await this.transaction.rows<HeldChat>(hold, [businessId, agentId, userId, chatId]);
    if (!chat) return null;
    const [more] = await this.transaction.rows<Belongings>(belongings, [businessId, chat.contactId, chatId]);
    return { ...chat, ...more };
  }

  async enterFirst(businessId: number, chatId: number, begins: ConversationState): Promise<void> {
    await this.transaction.rows(enterFirst, [businessId, chatId, begins]);
  }

  async lockOpen(businessId: number, chatIds: readonly number[]): Promise<number> {
    return (await this.transaction.rows(lockOpen, [businessId, chatIds])).length;
  }

  attend({ businessId, chatId }: HeldChat, agentId: number, departmentId: number | null = null): Promise<number[]> {
    return this.agentsAfter(attend, [businessId, chatId, agentId, departmentId]);
  }

  queue({ businessId, chatId }: HeldChat, departmentId: number | null): Promise<number[]> {
    return this.agentsAfter(queue, [businessId, chatId, departmentId]);
  }

  close({ businessId, chatId }: HeldChat, end: TicketEnd, reason: string | null): Promise<number[]> {
    return this.agentsAfter(close, [businessId, chatId, end, reason]);
  }

  async announce(changes: readonly ChatChange[]): Promise<LoggedEvent[]> {
    const [first] = changes;
    if (!first) return [];
    const rows = changes.map(({ chat: { chatId, audience }, ticketsOf }, position) => {
      return { position, chatId, was: audience, withTickets: ticketsOf !== null };
    });
    const agentIds = [...new Set(changes.flatMap(({ ticketsOf }) => ticketsOf ?? []))];
    const values = [first.chat.businessId, JSON.stringify(rows), agentIds];
    return this.transaction.rows<LoggedEvent>(announce, values);
  }

  async view(businessId: number, chatId: number): Promise<ChatView> {
    const [row] = await this.transaction.rows<{ chat: ChatView }>(view, [businessId, chatId]);
    if (!row) throw new Error(`chat ${chatId} of business ${businessId} is gone`);
    return row.chat;
  }

  async hasUser(businessId: number, userId: number): Promise<boolean> {
    return (await this.transaction.rows(activeUser, [businessId, userId])).length > 0;
  }

  private async agentsAfter(statement: Statement, values: readonly unknown[]): Promise<number[]> {
    const agents = await this.transaction.rows<{ id: number }>(statement, values);
    return agents.map(({ id }) => id);
  }
}

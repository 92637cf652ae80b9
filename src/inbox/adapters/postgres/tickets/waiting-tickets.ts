import type { Queries } from "../../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../../infra/postgres/log-events.ts";
import { quoted } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import type { AgentLine } from "../../../application/lines/ports.ts";
import type {
  ConversationThread,
  WaitingPlace,
  WaitingTicket,
  WaitingTickets,
} from "../../../application/tickets/ports.ts";
import { attendedStates } from "../../../domain/conversation.ts";
import { namedAgent, type TicketSetup } from "../../../domain/ticket.ts";
import { nameAndPayload } from "../announce-sql.ts";
import { audienceOf, chatJoins } from "../chat-sql.ts";
import { setupColumns, setupJoins } from "./ticket-steps.ts";

/**
 * If the chat waited in an earlier conversation, its wait starts again. A chat without an agent moves to the step's
 * department, which usually hides the chat from agents of other departments.
 *
 * The chat is locked first. Transactions that give the chat to an agent also lock the chat, so they see the new row.
 */
const enter = statement("waiting_enter")`
  with room as materialized (
    select chat.id, ${audienceOf("chat")} as was, step.department_id,
           chat.support_user_id is null and chat.department_id is distinct from step.department_id as moves
    from chats as chat join steps as step on step.business_id = chat.business_id and step.id = $3
    where chat.business_id = $1 and chat.id = $2
    for no key update of chat
  ),
  entered as (
    insert into waiting_tickets as waiting (business_id, chat_id, step_id, conversation_id, told_at)
    select $1, room.id, $3, $4, clock_timestamp() from room
    on conflict (business_id, chat_id, step_id) do update
    set told_at = excluded.told_at, conversation_id = excluded.conversation_id,
        since = case when waiting.conversation_id = excluded.conversation_id then waiting.since else excluded.since end
    where excluded.told_at - waiting.told_at > interval '10 minutes'
      or waiting.conversation_id <> excluded.conversation_id
    returning chat_id
  ),
  placed as (
    update chats as chat set department_id = room.department_id
    from room where chat.business_id = $1 and chat.id = room.id and room.moves
    returning chat.*
  ),
  given as (select was from room),
  events as (
    select chat.business_id, 0 as position, ${nameAndPayload("chat:changed")}
    from placed as chat cross join given ${chatJoins}
    where chat.last_message_at is not null
  ),
  ${loggingEvents}
  select entered.chat_id is not null as "isToBeTold", ${eventColumns}
  from room left join entered on true left join logged on true`;

const inLine = "step.business_id = $1 and step.department_id is not distinct from $2::bigint";

/** True if the row `waiting`, joined with its `conversation`, no longer waits. */
const isServed = `
  (conversation.closed_at is not null or conversation.state in (${quoted(...attendedStates)})
   or exists (select 1 from tickets as ticket
              where ticket.business_id = waiting.business_id and ticket.chat_id = waiting.chat_id
                and ticket.step_id = waiting.step_id and ticket.closed_at is null))`;

const forgetServed = statement("waiting_forget_served")`
  delete from waiting_tickets as waiting
  using steps as step, conversations as conversation
  where ${inLine} and waiting.business_id = step.business_id and waiting.step_id = step.id
    and conversation.business_id = waiting.business_id and conversation.id = waiting.conversation_id
    and ${isServed}`;

/** An erasure deletes the contact's rows in `waiting_tickets`, so tickets of erased contacts are left out. */
const stillWaiting = statement("waiting_still")`
  select waiting.chat_id as "chatId", waiting.step_id as "stepId"
  from jsonb_to_recordset($2::jsonb) as given("chatId" bigint, "conversationId" bigint, "stepId" bigint)
  cross join lateral (
    select * from waiting_tickets
    where business_id = $1 and chat_id = given."chatId" and step_id = given."stepId"
      and conversation_id = given."conversationId" offset 0
  ) as waiting
  cross join lateral (
    select * from conversations where business_id = $1 and id = waiting.conversation_id offset 0
  ) as conversation
  where not ${isServed}`;

const namedAgents = statement("waiting_named_agents")`
  select distinct trim(step.agent) as agent
  from steps as step
  where ${inLine} and step.agent is not null
    and exists (select 1 from waiting_tickets as waiting
                where waiting.business_id = step.business_id and waiting.step_id = step.id)
  order by 1 limit 200`;

const oldest = statement("waiting_oldest")`
  select waiting.chat_id as "chatId", waiting.conversation_id as "conversationId", ${setupColumns}
  from waiting_tickets as waiting
  join steps as step on step.business_id = waiting.business_id and step.id = waiting.step_id
  ${setupJoins}
  where ${inLine} and ($3::text[] is null or trim(step.agent) = any($3))
  order by waiting.since, waiting.chat_id, waiting.step_id
  limit $4`;

type EnteredRow = { readonly isToBeTold: boolean } & (LoggedEvent | { readonly number: null });

export class PostgresWaitingTickets implements WaitingTickets {
  constructor(private readonly queries: Queries) {}

  async enter(
    businessId: number,
    { chatId, conversationId }: ConversationThread,
    stepId: number,
  ): Promise<WaitingPlace> {
    const values = [businessId, chatId, stepId, conversationId];
    const [row] = await this.queries.rows<EnteredRow>(enter, values);
    if (!row) throw new Error(`chat ${chatId} of business ${businessId} is gone`);
    const { isToBeTold, ...event } = row;
    return { isToBeTold, events: event.number === null ? [] : [event as LoggedEvent] };
  }

  async forgetServed({ businessId, departmentId }: AgentLine): Promise<void> {
    await this.queries.rows(forgetServed, [businessId, departmentId]);
  }

  async stillWaiting(businessId: number, tickets: readonly WaitingTicket[]): Promise<WaitingTicket[]> {
    const given = tickets.map(({ setup, ...thread }) => ({ ...thread, stepId: setup.stepId }));
    const values = [businessId, JSON.stringify(given)];
    const rows = await this.queries.rows<{ chatId: number; stepId: number }>(stillWaiting, values);
    const found = new Set(rows.map(({ chatId, stepId }) => `${chatId} ${stepId}`));
    return tickets.filter(({ chatId, setup }) => found.has(`${chatId} ${setup.stepId}`));
  }

  async namedAgents({ businessId, departmentId }: AgentLine): Promise<number[]> {
    const rows = await this.queries.rows<{ agent: string }>(namedAgents, [businessId, departmentId]);
    return rows.map(namedAgent).filter((id) => id !== null);
  }

  async oldest(
    { businessId, departmentId }: AgentLine,
    named: readonly number[] | null,
    limit: number,
  ): Promise<WaitingTicket[]> {
    const values = [businessId, departmentId, named?.map(String) ?? null, limit];
    const rows = await this.queries.rows<ConversationThread & TicketSetup>(oldest, values);
    return rows.map(({ chatId, conversationId, ...setup }) => ({ chatId, conversationId, setup }));
  }
}

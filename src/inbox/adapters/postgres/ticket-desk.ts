import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { agentRole, maxId } from "../../../kernel/ids.ts";
import { kindOf, type OpenedMessage } from "../../../messaging/public.ts";
import type { DigestOfNumber } from "../../application/contacts/ports.ts";
import type {
  AgentLine,
  Author,
  ConversationThread,
  MadeTicket,
  NewTicket,
  ThreadMessage,
  ThreadNote,
  TicketDesk,
} from "../../application/ports.ts";
import type { Holder } from "../../domain/acting.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import { announcing, messageColumns, told, toldOfAgents } from "./announce-sql.ts";
import { holderOf } from "./chat-holder.ts";
import { audienceOf, chatJoins } from "./chat-sql.ts";
import { isChangedBy, messageState, stateAfter, ticketState } from "./state-sql.ts";
import { findingThreadsOrNone } from "./thread-sql.ts";

/**
 * Between counting the agents' tickets and adding one there must be no other ticket for them, or thirty requests at
 * once would all find the same agent idle. So whoever gives out tickets of a department holds its row; without a
 * department, that of the business. Rows that refer to it can still be written meanwhile.
 */
const holding = (kind: "wait" | "skip"): { readonly department: Statement; readonly business: Statement } => {
  const lock = `for no key update ${kind === "skip" ? "skip locked" : ""}`;
  return {
    department: {
      name: `ticket_hold_department_${kind}`,
      text: `select clock_timestamp() as now from departments where business_id = $1 and id = $2 ${lock}`,
    },
    business: {
      name: `ticket_hold_business_${kind}`,
      text: `select clock_timestamp() as now from businesses where id = $1 ${lock}`,
    },
  };
};
const waiting = holding("wait");
const skipping = holding("skip");

const findThread: Statement = {
  name: "ticket_thread",
  text: `
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
    select chat_id as "chatId", conversation_id as "conversationId" from threads`,
};

const openTicket: Statement = {
  name: "ticket_open_of_chat",
  text: "select id from tickets where business_id = $1 and chat_id = $2 and step_id = $3 and closed_at is null",
};

const agents: Statement = {
  name: "ticket_agents",
  text: `
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
    limit 500`,
};

/**
 * Conversations before chats, and only the chats of those that are open: who finds one closed opens another, and must not
 * hold the chat then.
 */
const lockThreads: Statement = {
  name: "ticket_lock_threads",
  text: `
    with talks as materialized (
      select chat_id from conversations where business_id = $1 and id = any($2::bigint[]) and closed_at is null
      order by id for no key update
    )
    select id from chats where business_id = $1 and id = any(array(select chat_id from talks))
    order by id for no key update`,
};

/** Asked once they are locked: what was waited for is seen. */
const standing: Statement = {
  name: "ticket_thread_stands",
  text: `
    select from conversations as conversation
    join chats as chat on chat.business_id = conversation.business_id and chat.id = conversation.chat_id
    join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
    where conversation.business_id = $1 and conversation.id = $2 and conversation.closed_at is null
      and contact.erased_at is null`,
};

/** Its chats and conversations are locked by an earlier statement. */
const create: Statement = {
  name: "ticket_create",
  text: `
    with given as (
      select * from jsonb_to_recordset($2::jsonb) as ticket(
        position integer, "chatId" bigint, "conversationId" bigint, "stepId" bigint, "agentId" bigint,
        "tagIds" bigint[])
    ),
    rooms as materialized (
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
      from rooms join made on made.chat_id = rooms.id
      join steps as step on step.business_id = $1 and step.id = made.step_id
      where chat.business_id = $1 and chat.id = rooms.id
    ),
    served as (
      delete from waiting_tickets as waiting using given
      where waiting.business_id = $1 and waiting.chat_id = given."chatId" and waiting.step_id = given."stepId"
    ),
    found as (
      delete from waiting_chats where business_id = $1 and chat_id in (select "chatId" from given)
    )
    select made.id, made.chat_id as "chatId", rooms.was
    from made join given on given."chatId" = made.chat_id join rooms on rooms.id = made.chat_id
    order by position`,
};

const announce: Statement = {
  name: "ticket_announce",
  text: `
    with given as (
      select id, was from jsonb_to_recordset($2::jsonb) as ticket(id bigint, was jsonb)
    ),
    events as (
      select chat.business_id, ticket.id * 2 as position, ${told("chat:changed")}
      from given
      join tickets as ticket on ticket.business_id = $1 and ticket.id = given.id
      join chats as chat on chat.business_id = ticket.business_id and chat.id = ticket.chat_id
      ${chatJoins}
      union all
      select ticket.business_id, ticket.id * 2 + 1, ${told("ticket:new")}
      from given
      join tickets as ticket on ticket.business_id = $1 and ticket.id = given.id
      join chats as chat on chat.business_id = ticket.business_id and chat.id = ticket.chat_id
      join contacts as contact on contact.business_id = ticket.business_id and contact.id = chat.contact_id
      join conversations as conversation
        on conversation.business_id = ticket.business_id and conversation.id = ticket.conversation_id
      join steps as step on step.business_id = ticket.business_id and step.id = ticket.step_id
      left join departments as department
        on department.business_id = ticket.business_id and department.id = step.department_id
      join users as agent on agent.business_id = ticket.business_id and agent.id = ticket.agent_id
      union all
      ${toldOfAgents(
        String(maxId),
        "any(array(select agent_id from tickets where business_id = $1 and id in (select id from given)))",
      )}
    ),
    ${loggingEvents}
    select ${eventColumns} from logged order by number`,
};

const note: Statement = {
  name: "ticket_note",
  text: `
    with moved as (
      insert into messages as message (business_id, chat_id, conversation_id, direction, kind, body, details, author,
                                       author_name, state, reference, internal)
      select $1::bigint, "chatId", "conversationId", 'out', 'ticket', body, details, 'business', $2, ${messageState.sent},
             gen_random_uuid(), true
      from jsonb_to_recordset($3::jsonb) as note(
        position integer, "chatId" bigint, "conversationId" bigint, body text, details jsonb)
      order by position
      returning ${messageColumns}, null::text as before
    ),
    ${announcing()}
    select ${eventColumns} from logged order by number`,
};

const openMessages: Statement = {
  name: "ticket_messages",
  text: `
    with opened as (
      insert into messages (business_id, chat_id, conversation_id, direction, kind, body, media_url, author, author_name,
                            state, reference, attempt, lease_until)
      select $1::bigint, "chatId", "conversationId", 'out', kind, text, "mediaUrl", 'business', $2, ${messageState.sending},
             gen_random_uuid(), 1, clock_timestamp() + make_interval(secs => $4)
      from jsonb_to_recordset($3::jsonb) as message(
        position integer, "chatId" bigint, "conversationId" bigint, kind text, text text, "mediaUrl" text)
      order by position
      returning business_id, id, chat_id, attempt, reference
    )
    select opened.business_id as "businessId", opened.id, opened.chat_id as "chatId", opened.attempt, opened.reference,
           chat.provider as channel, contact.platform_id as to
    from opened
    join chats as chat on chat.business_id = opened.business_id and chat.id = opened.chat_id
    join contacts as contact on contact.business_id = chat.business_id and contact.id = chat.contact_id
    order by opened.id`,
};

/**
 * A contact, its chat and its conversation may each be made by others meanwhile, and one is closed or erased between a look
 * and the lock: seldom once, hardly ever twice.
 */
const mostLooks = 8;

/**
 * Rows are locked in the order of lines, conversations, chats, counters of events, as everywhere that more than one of
 * them is locked.
 */
export class PostgresTicketDesk implements TicketDesk {
  /**
   * @param defaultProvider - the channel of chats that are made here
   * @param leaseSeconds - longer than any request to a platform may take
   */
  constructor(
    private readonly transaction: Queries,
    private readonly defaultProvider: string,
    private readonly leaseSeconds: number,
    private readonly digestOf: DigestOfNumber,
  ) {}

  async hold(line: AgentLine): Promise<Date> {
    const now = await this.lock(line, waiting);
    if (!now) throw new Error(`department ${line.departmentId} of business ${line.businessId} is gone`);
    return now;
  }

  tryHold(line: AgentLine): Promise<Date | null> {
    return this.lock(line, skipping);
  }

  async thread(businessId: number, phone: string, contactName: string): Promise<ConversationThread> {
    const values = [businessId, phone, contactName, this.defaultProvider, this.digestOf(phone)];
    for (let look = 0; look < mostLooks; look += 1) {
      const [thread] = await this.transaction.rows<ConversationThread>(findThread, values);
      if (!thread) continue;
      await this.lockThreads(businessId, [thread]);
      const found = await this.transaction.rows(standing, [businessId, thread.conversationId]);
      if (found.length > 0) return thread;
    }
    throw new Error(`a contact's conversations in business ${businessId} end as soon as they are found`);
  }

  async lockThreads(businessId: number, threads: readonly ConversationThread[]): Promise<void> {
    const conversationIds = threads.map(({ conversationId }) => conversationId);
    await this.transaction.rows(lockThreads, [businessId, conversationIds]);
  }

  holder(businessId: number, chatId: number): Promise<Holder | null> {
    return holderOf(this.transaction, businessId, chatId);
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
    const opened = await this.transaction.rows<Omit<OpenedMessage, "content">>(openMessages, values);
    // Ids rise in the order in which the messages are given.
    return opened.flatMap((row, index) => {
      const message = messages[index];
      return message ? [{ ...row, content: message.content }] : [];
    });
  }

  private async lock({ businessId, departmentId }: AgentLine, by: ReturnType<typeof holding>): Promise<Date | null> {
    const [held] =
      departmentId === null
        ? await this.transaction.rows<{ now: Date }>(by.business, [businessId])
        : await this.transaction.rows<{ now: Date }>(by.department, [businessId, departmentId]);
    return held?.now ?? null;
  }
}

const inOrder = (rows: readonly object[]): string =>
  JSON.stringify(rows.map((row, position) => ({ position, ...row })));

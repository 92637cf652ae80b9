import { loggingEvents } from "../../../infra/postgres/log-events.ts";
import { type Columns, columnsOfRow, jsonOf, quoted } from "../../../infra/postgres/sql-text.ts";
import { agentRole } from "../../../kernel/ids.ts";
import type { InboxEvents } from "../../application/events.ts";
import { lostStates, unannouncedStates } from "../../domain/delivery.ts";
import { agentFields } from "./agent-sql.ts";
import {
  agentOfTicket,
  audienceOf,
  chatFields,
  contactView,
  departmentView,
  named,
  storedChatFields,
  wholeContact,
} from "./chat-sql.ts";
import { messageColumnNames, messageFields } from "./message-sql.ts";

/** The fields that all events about a message share, from the row `news`. */
const newsFields = {
  chatId: "chat_id",
  audience: audienceOf("news"),
  conversationId: "conversation_id",
} as const;

const ticketFields = {
  ...columnsOfRow("ticket", "state", "chatId", "conversationId"),
  ticketId: "ticket.id",
  audience: audienceOf("chat"),
  step: named("step"),
  department: departmentView,
  agent: agentOfTicket,
} as const;

/**
 * The payload of each event. Its expressions read these rows of the statement:
 *
 * - messages: the CTE `news`
 * - tickets: `ticket`, `chat`, `contact`, `conversation`, `step`, `department` and `agent`
 * - `inbox:reorder`: `risen` and `newest`
 * - `chat:changed`: `chat`, `given` and the rows of `chatJoins`
 * - agents: `agent`
 * - contacts: `contact`
 */
const payloads: Columns<InboxEvents> = {
  "message:new": jsonOf<InboxEvents["message:new"]>({
    ...newsFields,
    contact: "contact",
    message: jsonOf(messageFields("news")),
  }),
  "message:status": jsonOf<InboxEvents["message:status"]>({
    ...newsFields,
    conversationState: "conversation_state",
    messageId: "id",
    state: "state",
    errorCode: "error_code",
    errorReason: "error_reason",
  }),
  "message:changed": jsonOf<InboxEvents["message:changed"]>({
    ...newsFields,
    message: jsonOf(messageFields("news")),
  }),
  "inbox:reorder": jsonOf<InboxEvents["inbox:reorder"]>({
    ...chatFields({
      chat: "risen",
      contact: "newest.contact",
      conversationId: "newest.conversation_id",
      last: "newest",
      mayBeEmpty: false,
    }),
    audience: audienceOf("risen"),
    was: "risen.was",
  }),
  "chat:changed": jsonOf<InboxEvents["chat:changed"]>({
    ...storedChatFields,
    audience: audienceOf("chat"),
    was: "given.was",
  }),
  "ticket:new": jsonOf<InboxEvents["ticket:new"]>({
    ...ticketFields,
    createdAt: "ticket.created_at",
    provider: "chat.provider",
    conversationState: "conversation.state",
    contact: contactView,
    agent: named("agent"),
  }),
  "agent:changed": jsonOf<InboxEvents["agent:changed"]>({
    ...agentFields,
    isAgent: `(agent.active and agent.role_id = ${agentRole})`,
  }),
  "ticket:changed": jsonOf<InboxEvents["ticket:changed"]>({ ...ticketFields, closedAt: "ticket.closed_at" }),
  "contact:changed": jsonOf<InboxEvents["contact:changed"]>({
    contact: wholeContact,
    erased: "contact.erased_at is not null",
  }),
};

/** The columns `name` and `payload` of an event row. */
export const nameAndPayload = (name: keyof InboxEvents): string =>
  `${quoted(name)} as name, ${payloads[name]} as payload`;

/** Rows of `agent:changed` for the active agents among the users `ids`, an SQL expression like `any($3::bigint[])`. */
export const agentChangedRows = (position: string, ids: string): string => `
    select agent.business_id, ${position} as position, ${nameAndPayload("agent:changed")}
    from users as agent
    where agent.business_id = $1 and agent.id = ${ids} and agent.role_id = ${agentRole} and agent.active`;

export const messageColumnsOf = (table: string): string =>
  ["business_id", "chat_id", "conversation_id", ...messageColumnNames].map((column) => `${table}.${column}`).join(", ");

/** The message columns that the CTE `moved` must return, besides `before`, which is the message's former state. */
export const messageColumns = messageColumnsOf("message");

/**
 * True for messages that clients do not know yet. The outcome of the send, a delivery status, or the sweep of expired
 * leases moves a message out of an unannounced state.
 */
const isNew = `(moved.before is null or moved.before in (${quoted(...unannouncedStates)}))`;

/**
 * Chats with new messages. `rises` is false if all new messages of the chat failed: a failed message becomes the chat's
 * last message but does not move the chat to the top.
 */
const chatsOfNews = `
  select moved.business_id, moved.chat_id, bool_or(moved.state not in (${quoted(...lostStates)})) as rises
  from moved where ${isNew} group by 1, 2`;

/** Chat columns that a row of the inbox shows. */
const risenColumns = `
  chat.business_id, chat.id, chat.provider, chat.last_message_at, chat.last_inbound_at, chat.support_user_id,
  chat.department_id, chat.ad_id, chat.state, chat.bot_available, chat.unread, chat.version`;

/**
 * Two forms of the CTE `raised`: the chats of the new messages in `moved`. The column `was` tells who could see the
 * chat before. It is null if the same agents still see the chat.
 *
 * All CTEs of a statement see the tables as they were before the statement. So `now` takes the new values of the chats
 * from `returning`. Lock order: chats by id, then event counters.
 */
export const raising = {
  /** Moves the chats to the top in the same statement. */
  now: `
  active as (
    select chat.business_id, chat.id, news_of.rises, case when news_of.rises then now() end as risen_at
    from (${chatsOfNews}) as news_of
    join chats as chat on chat.business_id = news_of.business_id and chat.id = news_of.chat_id
    order by chat.business_id, chat.id
    for no key update of chat
  ),
  raised as (
    update chats as chat
    set last_message_at = greatest(chat.last_message_at, active.risen_at),
        version = chat.version + 1
    from active where chat.business_id = active.business_id and chat.id = active.id
    returning ${risenColumns}, active.rises, null::jsonb as was
  )`,
  /** An earlier statement of the transaction moved the chats; `$2` holds their `was`. */
  done: `
  raised as (
    select ${risenColumns}, news_of.rises, moved_chat.was
    from (${chatsOfNews}) as news_of
    join chats as chat on chat.business_id = news_of.business_id and chat.id = news_of.chat_id
    left join jsonb_to_recordset($2::jsonb) as moved_chat(business_id bigint, id bigint, was jsonb)
      on moved_chat.business_id = chat.business_id and moved_chat.id = chat.id
  )`,
};

/**
 * The CTE `news`: each message of `moved` with its chat, contact and conversation.
 *
 * `offset 0` forces one look-up per message. Without it, the planner of a new database (which has few statistics) joins
 * the batch with all contacts of the business, which takes seconds.
 *
 * The agent and the department come from `raised`, which read them after the chat was locked. The table `chats` can
 * show old values here: it does not show a transfer that this statement had to wait for.
 */
const news = `
  news as (
    select moved.*, ${isNew} as is_new, ${contactView} as contact, conversation.state as conversation_state,
           case when raised.id is null then chat.support_user_id else raised.support_user_id end as support_user_id,
           case when raised.id is null then chat.department_id else raised.department_id end as department_id
    from moved
    left join raised on raised.business_id = moved.business_id and raised.id = moved.chat_id
    cross join lateral (
      select contact_id, support_user_id, department_id from chats
      where business_id = moved.business_id and id = moved.chat_id offset 0
    ) as chat
    cross join lateral (
      select * from contacts where business_id = moved.business_id and id = chat.contact_id offset 0
    ) as contact
    cross join lateral (
      select state from conversations where business_id = moved.business_id and id = moved.conversation_id offset 0
    ) as conversation
  )`;

/** Rows of this event for the messages of the CTE `news`. */
export const messageRows = (name: "message:new" | "message:status" | "message:changed"): string => `
    select business_id, id * 2 as position, ${nameAndPayload(name)}
    from news`;

/**
 * CTEs that log the events of the messages in `moved`: `message:new` or `message:status` for each message, and
 * `inbox:reorder` or `chat:changed` for each chat in `raised`. The last CTE is `logged`. Payloads are English; the
 * realtime adapter translates them for the wire.
 *
 * @param looks - true if `moved` has a boolean column `looks`, which marks messages to be logged as `message:changed`
 */
export const announcing = (raised: string = raising.now, { looks = false } = {}): string => `
  ${raised},
  ${news},
  events as (
    ${messageRows("message:new")} where is_new
    union all
    ${messageRows("message:status")} where not is_new ${looks ? "and not looks" : ""}
    union all
    ${looks ? `${messageRows("message:changed")} where looks union all` : ""}
    select risen.business_id, newest.id * 2 + 1 as position,
           case when risen.rises then 'inbox:reorder' else 'chat:changed' end as name,
           ${payloads["inbox:reorder"]} as payload
    from (
      select distinct on (business_id, chat_id) * from news where is_new order by business_id, chat_id, id desc
    ) as newest
    join raised as risen on risen.business_id = newest.business_id and risen.id = newest.chat_id
    where risen.last_message_at is not null
  ),
  ${loggingEvents}`;

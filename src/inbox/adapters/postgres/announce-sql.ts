import { loggingEvents } from "../../../infra/postgres/log-events.ts";
import { type Columns, jsonOf, quoted } from "../../../infra/postgres/sql-text.ts";
import { agentRole } from "../../../kernel/ids.ts";
import type { AttachmentView, FileView, InboxEvents, MessageView } from "../../application/events.ts";
import { lostStates, untoldStates } from "../../domain/delivery.ts";
import { agentFields } from "./agent-sql.ts";
import {
  agentOfTicket,
  audienceOf,
  chatFields,
  contactAsTold,
  departmentAsTold,
  named,
  storedChatFields,
  wholeContact,
} from "./chat-sql.ts";

/** Kinds of messages that have a file. */
const fileKinds = ["image", "audio", "video", "document", "sticker"] as const;

const hasFile = (row: string): string => `${row}.kind in (${quoted(...fileKinds)})`;

/** Of a row with a `media_url`: a column of the file, where the business stored it itself. */
const ofStoredFile = (row: string, column: string): string => `
  case when ${row}.media_url like '%/m\\_%' then (
    select file.${column} from media_files as file
    where file.business_id = ${row}.business_id and file.name = media_name(${row}.media_url) and file.size is not null)
  end`;

/** The columns of `messages` that events show; the CTEs `moved` and `news` hold each under the same name. */
const messageColumnNames = [
  ...["id", "direction", "kind", "body", "media_url", "author", "author_name", "state", "error_code", "error_reason"],
  ...["occurred_at", "platform_message_id", "attachment", "details", "reply_to_id", "internal", "reactions"],
  "edited_at",
];

/** A `MessageView` of a row with these columns. */
export const messageFields = (row: string): Columns<MessageView> => ({
  id: `${row}.id`,
  direction: `${row}.direction`,
  kind: `${row}.kind`,
  body: `${row}.body`,
  mediaUrl: `${row}.media_url`,
  author: `${row}.author`,
  authorName: `${row}.author_name`,
  state: `${row}.state`,
  errorCode: `${row}.error_code`,
  errorReason: `${row}.error_reason`,
  occurredAt: `${row}.occurred_at`,
  platformMessageId: `${row}.platform_message_id`,
  attachment: `
    case when ${row}.media_url is not null
    then ${jsonOf<AttachmentView>({
      url: `${row}.media_url`,
      kind: `coalesce(${row}.attachment->>'kind', case when ${hasFile(row)} then ${row}.kind else 'document' end)`,
      name: `coalesce(${row}.attachment->>'name', ${ofStoredFile(row, "file_name")})`,
      bytes: `coalesce((${row}.attachment->>'bytes')::bigint, ${ofStoredFile(row, "size")})`,
    })} end`,
  file: `
    case when ${row}.attachment->>'state' is not null
    then ${jsonOf<FileView>({
      state: `${row}.attachment->>'state'`,
      kind: `${row}.attachment->>'kind'`,
      name: `${row}.attachment->>'name'`,
      reason: `${row}.attachment->>'reason'`,
    })} end`,
  details: `${row}.details`,
  editedAt: `${row}.edited_at`,
  replyToId: `${row}.reply_to_id`,
  internal: `${row}.internal`,
  // One that was taken back is kept without its emoji.
  reactions: `jsonb_path_query_array(${row}.reactions, '$[*] ? (@.emoji != "")')`,
});

const ticketFields = {
  ticketId: "ticket.id",
  state: "ticket.state",
  chatId: "ticket.chat_id",
  audience: audienceOf("chat"),
  conversationId: "ticket.conversation_id",
  step: named("step"),
  department: departmentAsTold,
  agent: agentOfTicket,
} as const;

/**
 * The payload of each event: for a ticket of the rows `ticket`, `chat`, `contact`, `conversation`, `step`, `department`
 * and `agent`, for messages and chats of the CTE `news`, for a chat that changed of the rows `chat` and `chatJoins`, and
 * `given.was`, for an agent of the row `agent`; for a contact of the row `contact`.
 */
const payloads: Columns<InboxEvents> = {
  "message:new": jsonOf<InboxEvents["message:new"]>({
    chatId: "chat_id",
    audience: audienceOf("news"),
    conversationId: "conversation_id",
    contact: "contact",
    message: jsonOf(messageFields("news")),
  }),
  "message:status": jsonOf<InboxEvents["message:status"]>({
    chatId: "chat_id",
    audience: audienceOf("news"),
    conversationId: "conversation_id",
    conversationState: "conversation_state",
    messageId: "id",
    state: "state",
    errorCode: "error_code",
    errorReason: "error_reason",
  }),
  "message:changed": jsonOf<InboxEvents["message:changed"]>({
    chatId: "chat_id",
    audience: audienceOf("news"),
    conversationId: "conversation_id",
    message: jsonOf(messageFields("news")),
  }),
  "inbox:reorder": jsonOf<InboxEvents["inbox:reorder"]>({
    ...chatFields({
      chat: "risen",
      contact: "newest.contact",
      conversationId: "newest.conversation_id",
      last: {
        id: "newest.id",
        direction: "newest.direction",
        kind: "newest.kind",
        preview: "left(newest.body, 200)",
        author: "newest.author",
        authorName: "newest.author_name",
        internal: "newest.internal",
      },
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
    contact: contactAsTold,
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

/** The columns `name` and `payload` of an event. */
export const told = (name: keyof InboxEvents): string => `${quoted(name)} as name, ${payloads[name]} as payload`;

/** Rows of `agent:changed` for users whose id is `ids`, an SQL expression; those that are no agents are left out. */
export const toldOfAgents = (position: string, ids: string): string => `
    select agent.business_id, ${position} as position, ${told("agent:changed")}
    from users as agent
    where agent.business_id = $1 and agent.id = ${ids} and agent.role_id = ${agentRole} and agent.active`;

export const toldColumns = (table: string): string =>
  ["business_id", "chat_id", "conversation_id", ...messageColumnNames].map((column) => `${table}.${column}`).join(", ");

/** What the CTE `moved` must return of the row `message`, besides `before`: its state before the change. */
export const messageColumns = toldColumns("message");

/**
 * True of messages that no client knows of: incoming ones, and those that leave one of `untoldStates`. The sender,
 * a delivery status or the sweep may move a message out of these; each of them announces it.
 */
const isNew = `(moved.before is null or moved.before in (${quoted(...untoldStates)}))`;

/**
 * Chats whose row changes with a message, and whether they belong on top of the inbox: a failed send shows as the last
 * message of its chat and raises nothing.
 */
const chatsOfNews = `
  select moved.business_id, moved.chat_id, bool_or(moved.state not in (${quoted(...lostStates)})) as rises
  from moved where ${isNew} group by 1, 2`;

/** The columns of a chat that its row in the inbox shows. */
const risenColumns = [
  ...[
    "business_id",
    "id",
    "provider",
    "last_message_at",
    "last_inbound_at",
    "support_user_id",
    "department_id",
    "ad_id",
  ],
  ...["state", "bot_available", "unread", "version"],
]
  .map((column) => `chat.${column}`)
  .join(", ");

/**
 * Two ways to a CTE `raised`: the chats of the new messages in `moved` as they are then, with `rises`, and with `was`:
 * who could see them before, null where that is the same.
 *
 * All CTEs of a statement see the tables as they were before it, so what `raised` changes must come from its
 * `returning`. Chats are locked in the order of their ids, and always before the counters of events.
 */
export const raising = {
  /** Raises them in the statement that moved their messages. */
  now: `
  active as (
    select chat.business_id, chat.id, news_of.rises
    from (${chatsOfNews}) as news_of
    join chats as chat on chat.business_id = news_of.business_id and chat.id = news_of.chat_id
    order by chat.business_id, chat.id
    for no key update of chat
  ),
  raised as (
    update chats as chat
    set last_message_at = case when active.rises then greatest(chat.last_message_at, now())
                               else chat.last_message_at end,
        version = chat.version + 1
    from active where chat.business_id = active.business_id and chat.id = active.id
    returning ${risenColumns}, active.rises, null::jsonb as was
  )`,
  /** An earlier statement of the transaction raised them; `$2` holds `was` of those that moved with it. */
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
 * The CTE `news`: each message of `moved` with the chat, the contact and the conversation that it is told with.
 *
 * `offset 0` keeps each look-up apart. Joined freely, and with the statistics of a young database, the planner joins a
 * batch with all contacts of its business by `business_id` alone, which takes seconds.
 *
 * Whose a chat is comes from `raised`, which is as of the lock: this statement may have waited for a transfer that its
 * own look at the tables does not show.
 */
const news = `
  news as (
    select moved.*, ${isNew} as is_new, ${contactAsTold} as contact, conversation.state as conversation_state,
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

/** Rows of `message:new` for the messages of the CTE `news`. */
export const toldOfNew = `
    select business_id, id * 2 as position, ${told("message:new")}
    from news`;

/** Rows of `message:status` for the messages of the CTE `news`. */
export const toldOfChange = `
    select business_id, id * 2 as position, ${told("message:status")}
    from news`;

/** Rows of `message:changed` for the messages of the CTE `news`. */
const toldOfLooks = `
    select business_id, id * 2 as position, ${told("message:changed")}
    from news`;

/**
 * CTEs that log the events of the messages in the CTE `moved`: `message:new` or `message:status` for each, and
 * `inbox:reorder` for each chat in `raised` that rises, `chat:changed` for the others. Ends in `logged`. Payloads are
 * English; the realtime adapter gives them the wire's spelling.
 *
 * @param looks - Rows of `moved` with `looks` are of messages that clients know and that look different now: each is
 *   told by `message:changed`. Without this, `moved` needs no such column.
 */
export const announcing = (raised: string = raising.now, { looks = false } = {}): string => `
  ${raised},
  ${news},
  events as (
    ${toldOfNew} where is_new
    union all
    ${toldOfChange} where not is_new ${looks ? "and not looks" : ""}
    union all
    ${looks ? `${toldOfLooks} where looks union all` : ""}
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

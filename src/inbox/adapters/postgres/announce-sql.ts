import { loggingEvents } from "../../../infra/postgres/log-events.ts";
import { type Columns, jsonOf, quoted } from "../../../infra/postgres/sql-text.ts";
import type {
  ChatView,
  ContactView,
  InboxEvents,
  LastMessageView,
  MessageView,
  NamedView,
} from "../../application/events.ts";
import { lostStates, untoldStates } from "../../domain/delivery.ts";

/** The fields of a contact that clients get, from the row `contact`. */
export const contactAsTold = jsonOf<ContactView>({
  id: "contact.id",
  name: "contact.name",
  phone: "contact.phone",
  platformId: "contact.platform_id",
});

/** Columns of `messages`; the CTEs `moved` and `news` hold each under the same name. */
const messageFields: Columns<MessageView> = {
  id: "id",
  direction: "direction",
  kind: "kind",
  body: "body",
  mediaUrl: "media_url",
  author: "author",
  authorName: "author_name",
  state: "state",
  errorCode: "error_code",
  errorReason: "error_reason",
  occurredAt: "occurred_at",
};

const named = (table: string): string => jsonOf<NamedView>({ id: `${table}.id`, name: `${table}.name` });

/**
 * The payload of each event: for a ticket of the rows `ticket`, `chat`, `contact`, `conversation`, `step`, `department`
 * and `agent`, for messages and chats of the CTE `news`.
 */
const payloads: Columns<InboxEvents> = {
  "message:new": jsonOf<InboxEvents["message:new"]>({
    chatId: "chat_id",
    conversationId: "conversation_id",
    contact: "contact",
    message: jsonOf(messageFields),
  }),
  "message:status": jsonOf<InboxEvents["message:status"]>({
    chatId: "chat_id",
    conversationId: "conversation_id",
    conversationState: "conversation_state",
    messageId: "id",
    state: "state",
    errorCode: "error_code",
    errorReason: "error_reason",
  }),
  "inbox:reorder": jsonOf<ChatView>({
    chatId: "chat_id",
    contact: "contact",
    provider: "provider",
    supportUserId: "support_user_id",
    adId: "ad_id",
    conversationId: "conversation_id",
    conversationState: "conversation_state",
    lastMessageAt: "last_message_at",
    lastMessage: jsonOf<LastMessageView>({
      id: "id",
      direction: "direction",
      kind: "kind",
      preview: "left(body, 200)",
      authorName: "author_name",
    }),
  }),
  "ticket:new": jsonOf<InboxEvents["ticket:new"]>({
    ticketId: "ticket.id",
    state: "ticket.state",
    createdAt: "ticket.created_at",
    chatId: "ticket.chat_id",
    conversationId: "ticket.conversation_id",
    provider: "chat.provider",
    conversationState: "conversation.state",
    contact: contactAsTold,
    step: named("step"),
    department: `case when department.id is not null then ${named("department")} end`,
    agent: named("agent"),
  }),
};

/** The columns `name` and `payload` of an event. */
export const told = (name: keyof InboxEvents): string => `${quoted(name)} as name, ${payloads[name]} as payload`;

export const toldColumns = (table: string): string =>
  ["business_id", "chat_id", "conversation_id", ...Object.values(messageFields)]
    .map((column) => `${table}.${column}`)
    .join(", ");

/** What the CTE `moved` must return of the row `message`, besides `before`: its state before the change. */
export const messageColumns = toldColumns("message");

/**
 * True of messages that no client knows of: incoming ones, and those that leave one of `untoldStates`. The sender,
 * a delivery status or the sweep may move a message out of these; each of them announces it.
 */
const isNew = `(moved.before is null or moved.before in (${quoted(...untoldStates)}))`;

/** Chats that belong on top of the inbox: a failed send raises nothing. */
const chatsToRaise = `
  select distinct moved.business_id, moved.chat_id from moved
  where ${isNew} and moved.state not in (${quoted(...lostStates)})`;

/**
 * Two ways to a CTE `raised`: the chats of `moved` that clients are told to put on top, as they are then.
 *
 * All CTEs of a statement see the tables as they were before it, so what `raised` changes must come from its
 * `returning`. Chats are locked in the order of their ids, and always before the counters of events.
 */
export const raising = {
  /** Raises them in the statement that moved their messages. */
  now: `
  active as (
    select chat.business_id, chat.id from chats as chat
    where (chat.business_id, chat.id) in (${chatsToRaise})
    order by chat.business_id, chat.id
    for no key update
  ),
  raised as (
    update chats as chat set last_message_at = greatest(chat.last_message_at, now())
    from active where chat.business_id = active.business_id and chat.id = active.id
    returning chat.business_id, chat.id, chat.last_message_at, chat.support_user_id, chat.ad_id
  )`,
  /** An earlier statement of the transaction raised them. */
  done: `
  raised as (
    select chat.business_id, chat.id, chat.last_message_at, chat.support_user_id, chat.ad_id
    from chats as chat where (chat.business_id, chat.id) in (${chatsToRaise})
  )`,
};

/** The CTE `news`: each message of `moved` with the chat, the contact and the conversation that it is told with. */
const news = `
  news as (
    select moved.*, ${isNew} as is_new, ${contactAsTold} as contact,
           chat.provider, raised.support_user_id, raised.ad_id, conversation.state as conversation_state,
           raised.last_message_at, raised.id is not null as is_raised
    from moved
    join chats as chat on chat.business_id = moved.business_id and chat.id = moved.chat_id
    join contacts as contact on contact.business_id = moved.business_id and contact.id = chat.contact_id
    join conversations as conversation
      on conversation.business_id = moved.business_id and conversation.id = moved.conversation_id
    left join raised on raised.business_id = moved.business_id and raised.id = moved.chat_id
  )`;

/** Rows of `message:new` for the messages of the CTE `news`. */
export const toldOfNew = `
    select business_id, id * 2 as position, ${told("message:new")}
    from news`;

/** Rows of `message:status` for the messages of the CTE `news`. */
export const toldOfChange = `
    select business_id, id * 2 as position, ${told("message:status")}
    from news`;

/**
 * CTEs that log the events of the messages in the CTE `moved`: `message:new` or `message:status` for each, and
 * `inbox:reorder` for each chat in `raised`. Ends in `logged`. Payloads are English; the realtime adapter gives
 * them the wire's spelling.
 */
export const announcing = (raised: string = raising.now): string => `
  ${raised},
  ${news},
  events as (
    ${toldOfNew} where is_new
    union all
    ${toldOfChange} where not is_new
    union all
    select business_id, position, name, payload from (
      select distinct on (business_id, chat_id) business_id, id * 2 + 1 as position, ${told("inbox:reorder")}
      from news where is_new and is_raised and state not in (${quoted(...lostStates)})
      order by business_id, chat_id, id desc
    ) as rows_to_redraw
  ),
  ${loggingEvents}`;

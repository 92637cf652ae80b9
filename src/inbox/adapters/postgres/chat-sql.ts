import { type Columns, columnsOfRow, jsonOf, quoted } from "../../../infra/postgres/sql-text.ts";
import { serviceWindowHours, windowedChannels } from "../../../kernel/channels.ts";
import type {
  Audience,
  ChatView,
  ContactView,
  LastMessageView,
  NamedView,
  TicketView,
  WholeContact,
} from "../../application/events.ts";
import { unannouncedStates } from "../../domain/delivery.ts";

const contactFields: Columns<ContactView> = {
  ...columnsOfRow("contact", "id", "name", "platformId"),
  phone: "coalesce(contact.phone, '')",
};

/** A `ContactView` of the row `contact`. */
export const contactView = jsonOf(contactFields);

export const named = (table: string): string => jsonOf<NamedView>(columnsOfRow(table, "id", "name"));

/** The tags of `row`, from a table whose `column` holds the id of the row. */
const tagsOf = (row: string, table: string, column: string): string => `
  coalesce((
    select jsonb_agg(${named("tag")} order by tag.id)
    from ${table} as tagged join tags as tag on tag.business_id = tagged.business_id and tag.id = tagged.tag_id
    where tagged.business_id = ${row}.business_id and tagged.${column} = ${row}.id), '[]')`;

export const wholeContact = jsonOf<WholeContact>({
  ...contactFields,
  optedOut: "contact.opted_out_at is not null",
  ...columnsOfRow("contact", "fields", "createdAt"),
  tags: tagsOf("contact", "contact_tags", "contact_id"),
});

/** Null if the ticket has no agent: the columns of the row `agent` are then null. */
export const agentOfTicket = `case when agent.id is not null then ${named("agent")} end`;

export const departmentView = `case when department.id is not null then ${named("department")} end`;

/** `row` needs the columns of a chat. */
export const audienceOf = (row: string): string =>
  jsonOf<Audience>({ agentId: `${row}.support_user_id`, departmentId: `${row}.department_id` });

/** The user who has the chat, as a `Holder`. Null if no user has it. */
export const holderOf = (row: string): string => `
  (select ${named("users")} from users
   where users.business_id = ${row}.business_id and users.id = ${row}.support_user_id)`;

export const windowed = (row: string): string => `${row}.provider in (${quoted(...windowedChannels)})`;

/** The end of the chat's service window; null if it is over or there is none. */
export const windowUntil = (row: string): string => `
  case when ${windowed(row)} and ${row}.last_inbound_at > now() - interval '${serviceWindowHours} hours'
       then ${row}.last_inbound_at + interval '${serviceWindowHours} hours' end`;

/** Joins `step` and `department` to the row `ticket`. If the step has no department, `department` is null. */
export const ticketJoins = `
   join steps as step on step.business_id = ticket.business_id and step.id = ticket.step_id
   left join departments as department
     on department.business_id = step.business_id and department.id = step.department_id`;

const ticketOf = (row: string): string => `
  (select ${jsonOf<TicketView>({
    ...columnsOfRow("ticket", "id", "state"),
    step: named("step"),
    department: departmentView,
  })}
   from tickets as ticket ${ticketJoins}
   where ticket.business_id = ${row}.business_id and ticket.chat_id = ${row}.id and ticket.closed_at is null
   order by ticket.id desc limit 1)`;

/** SQL expressions for the parts of a `ChatView`. */
interface ChatSource {
  /** The name of a row with the columns of a chat. */
  readonly chat: string;
  readonly contact: string;
  readonly conversationId: string;
  /** The name of a row with the columns of the last message. */
  readonly last: string;
  /** True if there may be no last message, so that the columns of `last` may be null. */
  readonly mayBeEmpty: boolean;
}

export function chatFields({ chat, contact, conversationId, last, mayBeEmpty }: ChatSource): Columns<ChatView> {
  const message = jsonOf<LastMessageView>({
    ...columnsOfRow(last, "id", "direction", "kind", "author", "authorName", "internal"),
    preview: `left(${last}.body, 200)`,
  });
  return {
    chatId: `${chat}.id`,
    contact,
    ...columnsOfRow(chat, "provider", "supportUserId", "adId", "state", "botAvailable", "lastMessageAt"),
    ...columnsOfRow(chat, "unread", "version"),
    conversationId,
    lastMessage: mayBeEmpty ? `case when ${last}.id is not null then ${message} end` : message,
    windowed: windowed(chat),
    windowUntil: windowUntil(chat),
    tags: tagsOf(chat, "chat_tags", "chat_id"),
    ticket: ticketOf(chat),
  };
}

/** A `ChatView` of the row `chat` joined with `chatJoins`. */
export const storedChatFields = chatFields({
  chat: "chat",
  contact: contactView,
  conversationId: "conversation.id",
  last: "last",
  mayBeEmpty: true,
});

/** `offset 0` forces one look-up per row: see the CTE `news` of announce-sql.ts. */
export const chatJoins = `
  cross join lateral (
    select * from contacts where business_id = chat.business_id and id = chat.contact_id offset 0
  ) as contact
  left join lateral (
    select id from conversations
    where business_id = chat.business_id and chat_id = chat.id order by id desc limit 1
  ) as conversation on true
  left join lateral (
    select id, direction, kind, body, author, author_name, internal from messages
    where business_id = chat.business_id and chat_id = chat.id and state not in (${quoted(...unannouncedStates)})
    order by id desc limit 1
  ) as last on true`;

import { type Columns, jsonOf, quoted } from "../../../infra/postgres/sql-text.ts";
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
import { untoldStates } from "../../domain/delivery.ts";

/** The fields of a contact that clients get, from the row `contact`. */
export const contactAsTold = jsonOf<ContactView>({
  id: "contact.id",
  name: "contact.name",
  phone: "coalesce(contact.phone, '')",
  platformId: "contact.platform_id",
});

export const named = (table: string): string => jsonOf<NamedView>({ id: `${table}.id`, name: `${table}.name` });

/** The row `contact` with all that belongs to it. */
export const wholeContact = jsonOf<WholeContact>({
  id: "contact.id",
  name: "contact.name",
  phone: "coalesce(contact.phone, '')",
  platformId: "contact.platform_id",
  optedOut: "contact.opted_out_at is not null",
  fields: "contact.fields",
  tags: `
    coalesce((
      select jsonb_agg(${named("tag")} order by tag.id)
      from contact_tags as tagged join tags as tag on tag.business_id = tagged.business_id and tag.id = tagged.tag_id
      where tagged.business_id = contact.business_id and tagged.contact_id = contact.id), '[]')`,
  createdAt: "contact.created_at",
});

/** Of the row `agent`, which may be missing: nobody has the ticket. */
export const agentOfTicket = `case when agent.id is not null then ${named("agent")} end`;

export const departmentAsTold = `case when department.id is not null then ${named("department")} end`;

/** Who may see the chat of this row, which has the columns of one. */
export const audienceOf = (row: string): string =>
  jsonOf<Audience>({ agentId: `${row}.support_user_id`, departmentId: `${row}.department_id` });

/** Whether the row's chat is on a channel with a service window. */
export const windowed = (row: string): string => `${row}.provider in (${quoted(...windowedChannels)})`;

/** Of the row's chat: the end of its service window where that lies ahead, else null. */
export const windowUntil = (row: string): string => `
  case when ${windowed(row)} and ${row}.last_inbound_at > now() - interval '${serviceWindowHours} hours'
       then ${row}.last_inbound_at + interval '${serviceWindowHours} hours' end`;

const tagsOf = (row: string): string => `
  coalesce((
    select jsonb_agg(${named("tag")} order by tag.id)
    from chat_tags as tagged join tags as tag on tag.business_id = tagged.business_id and tag.id = tagged.tag_id
    where tagged.business_id = ${row}.business_id and tagged.chat_id = ${row}.id), '[]')`;

const ticketOf = (row: string): string => `
  (select ${jsonOf<TicketView>({
    id: "ticket.id",
    state: "ticket.state",
    step: named("step"),
    department: departmentAsTold,
  })}
   from tickets as ticket
   join steps as step on step.business_id = ticket.business_id and step.id = ticket.step_id
   left join departments as department
     on department.business_id = step.business_id and department.id = step.department_id
   where ticket.business_id = ${row}.business_id and ticket.chat_id = ${row}.id and ticket.closed_at is null
   order by ticket.id desc limit 1)`;

/** Where the parts of a row of the inbox come from. */
export interface ChatSource {
  /** A row with the columns of a chat. */
  readonly chat: string;
  readonly contact: string;
  readonly conversationId: string;
  /** The columns of the last message; null where there may be none. */
  readonly last: Columns<LastMessageView>;
  readonly mayBeEmpty: boolean;
}

export function chatFields({ chat, contact, conversationId, last, mayBeEmpty }: ChatSource): Columns<ChatView> {
  const message = jsonOf(last);
  return {
    chatId: `${chat}.id`,
    contact,
    provider: `${chat}.provider`,
    supportUserId: `${chat}.support_user_id`,
    adId: `${chat}.ad_id`,
    conversationId,
    state: `${chat}.state`,
    botAvailable: `${chat}.bot_available`,
    lastMessageAt: `${chat}.last_message_at`,
    lastMessage: mayBeEmpty ? `case when ${last.id} is not null then ${message} end` : message,
    unread: `${chat}.unread`,
    windowed: windowed(chat),
    windowUntil: windowUntil(chat),
    tags: tagsOf(chat),
    ticket: ticketOf(chat),
    version: `${chat}.version`,
  };
}

/** Columns of the row `last`, which `chatJoins` finds. */
const lastFields: Columns<LastMessageView> = {
  id: "last.id",
  direction: "last.direction",
  kind: "last.kind",
  preview: "left(last.body, 200)",
  author: "last.author",
  authorName: "last.author_name",
  internal: "last.internal",
};

/** A `ChatView` of the rows `chat` and those of `chatJoins`. */
export const storedChatFields = chatFields({
  chat: "chat",
  contact: contactAsTold,
  conversationId: "conversation.id",
  last: lastFields,
  mayBeEmpty: true,
});

/** `offset 0` keeps each look-up apart: see the CTE `news` of announce-sql.ts. */
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
    where business_id = chat.business_id and chat_id = chat.id and state not in (${quoted(...untoldStates)})
    order by id desc limit 1
  ) as last on true`;

import { integer, nullableInteger, objectWith, orNull, timestamp } from "../../../infra/http/routing/schema.ts";
import { chatChannels } from "../../../kernel/channels.ts";
import type { InboxEvents } from "../../application/events.ts";
import { conversationStates } from "../../domain/conversation.ts";
import { chatStateToWire } from "../wire/inbox-wire.ts";
import {
  agentSchema,
  chatFields,
  contactSchema,
  failureSchema,
  messageSchema,
  messageState,
  namedSchema,
  ticketState,
  wholeContactSchema,
} from "./inbox-schemas.ts";

/** The payloads of the inbox's events, as `realtime/inbox-events.ts` spells them, for the document of the sockets. */

interface Event {
  readonly summary: string;
  readonly description?: string;
  readonly payload: { readonly required: readonly string[]; readonly properties: Readonly<Record<string, unknown>> };
}

const conversationState = { type: "string", enum: conversationStates.map((state) => chatStateToWire[state]) } as const;
const ofChat = { chat_id: integer, conversacion_id: integer } as const;
const ofTicket = {
  ticket_id: integer,
  estado: ticketState,
  ...ofChat,
  soporte_id: integer,
  agente: namedSchema,
  paso: namedSchema,
  departamento: orNull(namedSchema),
} as const;

/** Logged, and told again to clients that were away. */
export const inboxEventSchemas = {
  "message:new": {
    summary: "A chat has a new message: from the customer, from an agent, from the bot, or a note",
    payload: objectWith({ ...ofChat, contacto: contactSchema, mensaje: messageSchema }),
  },
  "message:status": {
    summary: "What became of a message that was sent",
    payload: objectWith({
      ...ofChat,
      conversacion_estado: conversationState,
      mensaje_id: integer,
      estado: messageState,
      error: orNull(failureSchema),
    }),
  },
  "message:changed": {
    summary: "A message looks different: a reaction came or went, its file arrived, or it was erased",
    payload: objectWith({ ...ofChat, mensaje: messageSchema }),
  },
  "inbox:reorder": { summary: "The chat belongs on top of the inbox", payload: objectWith(chatFields) },
  "chat:changed": {
    summary: "Something of the chat's row changed: who has it, its state, tags, what is unread, its window",
    payload: objectWith(chatFields),
  },
  "ticket:new": {
    summary: "A ticket was made and has its agent",
    payload: objectWith({
      ...ofTicket,
      conversacion_estado: conversationState,
      contacto: contactSchema,
      provider: { type: "string", enum: chatChannels },
      fecha: timestamp,
    }),
  },
  "ticket:changed": {
    summary: "A ticket has another state or agent",
    description: "`soporte_id` and `agente` are null while nobody has its chat.",
    payload: objectWith({
      ...ofTicket,
      soporte_id: nullableInteger,
      agente: orNull(namedSchema),
      cerrado: { type: ["string", "null"], format: "date-time" },
    }),
  },
  "agent:changed": {
    summary: "An agent came, went, or has another name, other departments or another number of open tickets",
    description: "`activo` is false of one who is no agent any more: deactivated, archived, or with another role.",
    payload: objectWith({ agente: agentSchema, activo: { type: "boolean" } }),
  },
  "contact:changed": {
    summary: "A contact was changed or erased",
    description: "For all clients of the business. An erased contact has empty texts.",
    payload: objectWith({ contacto: wholeContactSchema, borrado: { type: "boolean" } }),
  },
  "chat:gone": {
    summary: "The client may not see the chat any more",
    description:
      "In place of the event with which that happened. The answer to an action of the client itself, such as handing the " +
      "chat on, may still come after it: it does not bring the chat back.",
    payload: objectWith({ chat_id: integer }),
  },
} as const satisfies Readonly<Record<keyof InboxEvents, Event> & Record<string, Event>>;

/** Told once, to those who are there. */
export const inboxPresenceSchemas = {
  "chat:typing": {
    summary: "Another agent is writing in the chat",
    description: "Every 2 seconds at most, for as long as it goes on.",
    payload: objectWith({ chat_id: integer, usuario: namedSchema }),
  },
  "chat:viewing": {
    summary: "Who has the chat open",
    description: "Whenever that changes.",
    payload: objectWith({ chat_id: integer, usuarios: { type: "array", items: namedSchema } }),
  },
} as const satisfies Readonly<Record<string, Event>>;

/** What agents' pages emit. */
export const inboxClientSchemas = {
  typing: { summary: "The user is writing in this chat", payload: objectWith({ chat_id: integer }) },
  viewing: { summary: "The user has this chat open, or none", payload: objectWith({ chat_id: nullableInteger }) },
} as const satisfies Readonly<Record<string, Event>>;

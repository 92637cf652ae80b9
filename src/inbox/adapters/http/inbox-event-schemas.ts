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

/** The payloads of the inbox's socket events, for the documentation. */

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

/** Logged events: clients that were away get them later. */
export const inboxEventSchemas = {
  "message:new": {
    summary: "A chat has a new message: from the customer, from an agent, from the bot, or a note",
    payload: objectWith({ ...ofChat, contacto: contactSchema, mensaje: messageSchema }),
  },
  "message:status": {
    summary: "A sent message has a new state",
    payload: objectWith({
      ...ofChat,
      conversacion_estado: conversationState,
      mensaje_id: integer,
      estado: messageState,
      error: orNull(failureSchema),
    }),
  },
  "message:changed": {
    summary: "A message looks different: its reactions, file, text or author's name changed, or it was erased",
    payload: objectWith({ ...ofChat, mensaje: messageSchema }),
  },
  "inbox:reorder": { summary: "The chat moves to the top of the inbox", payload: objectWith(chatFields) },
  "chat:changed": {
    summary: "The chat's row changed: its agent, state, tags, unread count or window, or the look of its last message",
    payload: objectWith(chatFields),
  },
  "ticket:new": {
    summary: "A ticket was created and assigned",
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
    description: "`soporte_id` and `agente` are null while the chat has no agent.",
    payload: objectWith({
      ...ofTicket,
      soporte_id: nullableInteger,
      agente: orNull(namedSchema),
      cerrado: { type: ["string", "null"], format: "date-time" },
    }),
  },
  "agent:changed": {
    summary: "An agent was added or removed, or has another name, other departments or another number of open tickets",
    description: "`activo` is false if the user is no longer an agent: deactivated, archived, or with another role.",
    payload: objectWith({ agente: agentSchema, activo: { type: "boolean" } }),
  },
  "contact:changed": {
    summary: "A contact was changed or erased",
    description: "For all clients of the business. An erased contact has empty texts.",
    payload: objectWith({ contacto: wholeContactSchema, borrado: { type: "boolean" } }),
  },
  "chat:gone": {
    summary: "The client may no longer see the chat",
    description:
      "Sent in place of the event that caused it. The answer to the client's own action, such as a transfer, may arrive " +
      "after it: it does not bring the chat back.",
    payload: objectWith({ chat_id: integer }),
  },
} as const satisfies Readonly<Record<keyof InboxEvents, Event> & Record<string, Event>>;

/** Presence events: sent once, only to connected clients. */
export const inboxPresenceSchemas = {
  "chat:typing": {
    summary: "Another agent is writing in the chat",
    description: "At most every 2 seconds while the agent writes.",
    payload: objectWith({ chat_id: integer, usuario: namedSchema }),
  },
  "chat:viewing": {
    summary: "The users who have the chat open",
    description: "Sent whenever they change.",
    payload: objectWith({ chat_id: integer, usuarios: { type: "array", items: namedSchema } }),
  },
} as const satisfies Readonly<Record<string, Event>>;

/** Events that clients send. */
export const inboxClientSchemas = {
  typing: { summary: "The user is writing in this chat", payload: objectWith({ chat_id: integer }) },
  viewing: { summary: "The user has this chat open, or none", payload: objectWith({ chat_id: nullableInteger }) },
} as const satisfies Readonly<Record<string, Event>>;

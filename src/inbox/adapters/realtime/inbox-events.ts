import type { InboxEvents } from "../../application/events.ts";
import {
  agentToWire,
  chatStateToWire,
  chatToWire,
  contactToWire,
  failureToWire,
  iso,
  messageToWire,
  namedToWire,
  ticketStateToWire,
  wholeContactToWire,
} from "../wire/inbox-wire.ts";

/** Translates each event to the wire. */
export const inboxEvents: { readonly [Name in keyof InboxEvents]: (payload: InboxEvents[Name]) => object } = {
  "message:new": ({ chatId, conversationId, contact, message }) => ({
    chat_id: chatId,
    conversacion_id: conversationId,
    contacto: contactToWire(contact),
    mensaje: messageToWire(message),
  }),
  "message:status": (status) => ({
    chat_id: status.chatId,
    conversacion_id: status.conversationId,
    conversacion_estado: chatStateToWire[status.conversationState],
    mensaje_id: status.messageId,
    estado: status.state,
    error: failureToWire(status),
  }),
  "message:changed": ({ chatId, conversationId, message }) => ({
    chat_id: chatId,
    conversacion_id: conversationId,
    mensaje: messageToWire(message),
  }),
  "inbox:reorder": chatToWire,
  "chat:changed": chatToWire,
  "ticket:new": (ticket) => ({
    ticket_id: ticket.ticketId,
    estado: ticketStateToWire[ticket.state],
    chat_id: ticket.chatId,
    conversacion_id: ticket.conversationId,
    conversacion_estado: chatStateToWire[ticket.conversationState],
    contacto: contactToWire(ticket.contact),
    provider: ticket.provider,
    soporte_id: ticket.agent.id,
    agente: namedToWire(ticket.agent),
    paso: namedToWire(ticket.step),
    departamento: ticket.department && namedToWire(ticket.department),
    fecha: iso(ticket.createdAt),
  }),
  "ticket:changed": (ticket) => ({
    ticket_id: ticket.ticketId,
    estado: ticketStateToWire[ticket.state],
    chat_id: ticket.chatId,
    conversacion_id: ticket.conversationId,
    soporte_id: ticket.agent?.id ?? null,
    agente: ticket.agent && namedToWire(ticket.agent),
    paso: namedToWire(ticket.step),
    departamento: ticket.department && namedToWire(ticket.department),
    cerrado: ticket.closedAt && iso(ticket.closedAt),
  }),
  // Earlier versions logged this event only for agents, without `isAgent`.
  "agent:changed": ({ isAgent = true, ...agent }) => ({ agente: agentToWire(agent), activo: isAgent }),
  "contact:changed": ({ contact, erased }) => ({ contacto: wholeContactToWire(contact), borrado: erased }),
};

/** Tells a client that its user no longer sees the chat. Sent instead of the event of the change that hid the chat. */
export const goneEvents = { "chat:gone": ({ chatId }: { readonly chatId: number }) => ({ chat_id: chatId }) };

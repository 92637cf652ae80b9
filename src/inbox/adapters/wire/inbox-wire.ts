import type { ChatView, ContactView, MessageView, NamedView } from "../../application/events.ts";
import type { ConversationState } from "../../domain/conversation.ts";
import type { TicketState } from "../../domain/ticket.ts";

const authors: Readonly<Record<MessageView["author"], string>> = {
  contact: "contacto",
  business: "empresa",
  user: "usuario",
  bot: "bot",
};
const directions: Readonly<Record<MessageView["direction"], string>> = { in: "entrante", out: "saliente" };

export const conversationStates: Readonly<Record<ConversationState, string>> = {
  bot: "bot",
  pending: "pendiente",
  in_progress: "proceso",
};

export const ticketStates: Readonly<Record<TicketState, string>> = {
  pending: "pendiente",
  in_progress: "proceso",
  completed: "completado",
  cancelled: "cancelado",
};

/** Timestamps come out of jsonb with the database's offset and microseconds. */
export const iso = (timestamp: string): string => new Date(timestamp).toISOString();

export const namedToWire = ({ id, name }: NamedView) => ({ id, nombre: name });

export const contactToWire = ({ id, name, phone, platformId }: ContactView) => ({
  id,
  nombre: name,
  numero: phone,
  platform_id: platformId,
});

export const failureToWire = ({ errorCode, errorReason }: Pick<MessageView, "errorCode" | "errorReason">) =>
  errorCode === null && errorReason === null ? null : { codigo: errorCode, motivo: errorReason };

export const messageToWire = (message: MessageView) => ({
  id: message.id,
  direccion: directions[message.direction],
  tipo: message.kind,
  texto: message.body,
  media_url: message.mediaUrl,
  autor: authors[message.author],
  autor_nombre: message.authorName,
  // States of messages read on the wire as they do here.
  estado: message.state,
  error: failureToWire(message),
  fecha: iso(message.occurredAt),
});

export const chatToWire = (chat: ChatView) => ({
  chat_id: chat.chatId,
  contacto: contactToWire(chat.contact),
  provider: chat.provider,
  soporte_id: chat.supportUserId,
  anuncio_id: chat.adId,
  conversacion_id: chat.conversationId,
  estado: conversationStates[chat.conversationState],
  ultimo_mensaje: iso(chat.lastMessageAt),
  mensaje: {
    id: chat.lastMessage.id,
    direccion: directions[chat.lastMessage.direction],
    tipo: chat.lastMessage.kind,
    texto: chat.lastMessage.preview,
    autor_nombre: chat.lastMessage.authorName,
  },
});

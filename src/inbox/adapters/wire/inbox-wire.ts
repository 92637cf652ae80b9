import { sendReason } from "../../../messaging/adapters/wire/send-reasons.ts";
import type { ListedContact } from "../../application/contacts/ports.ts";
import type {
  AgentView,
  ChatView,
  ContactView,
  FileView,
  MessageView,
  NamedView,
  TicketView,
  WholeContact,
} from "../../application/events.ts";
import type { ChatDetails, OrderSummary } from "../../application/reading/ports.ts";
import type { ChatState } from "../../domain/conversation.ts";
import type { FileTrouble } from "../../domain/incoming-files.ts";
import type { TicketState } from "../../domain/ticket.ts";

const authors: Readonly<Record<MessageView["author"], string>> = {
  contact: "contacto",
  business: "empresa",
  user: "usuario",
  bot: "bot",
};
const directions: Readonly<Record<MessageView["direction"], string>> = { in: "entrante", out: "saliente" };

export const chatStateToWire = {
  bot: "bot",
  pending: "pendiente",
  in_progress: "proceso",
  closed: "cerrado",
} as const satisfies Readonly<Record<ChatState, string>>;

export const ticketStateToWire: Readonly<Record<TicketState, string>> = {
  pending: "pendiente",
  in_progress: "proceso",
  completed: "completado",
  cancelled: "cancelado",
};

/** Converts a jsonb timestamp, which has the database's offset and microseconds. */
export const iso = (timestamp: string): string => new Date(timestamp).toISOString();

export const namedToWire = ({ id, name }: NamedView) => ({ id, nombre: name });

export const contactToWire = ({ id, name, phone, platformId }: ContactView) => ({
  id,
  nombre: name,
  numero: phone,
  platform_id: platformId,
});

type Failed = Pick<MessageView, "state" | "errorCode" | "errorReason">;

/** A platform's reason keeps its text; the service's own reasons are translated. */
export const failureToWire = ({ state, errorCode, errorReason }: Failed) =>
  errorCode === null && errorReason === null
    ? null
    : { codigo: errorCode, motivo: sendReason(state, errorCode, errorReason) };

const isWithdrawn = (details: object | null): boolean =>
  details !== null && "withdrawn" in details && details.withdrawn === true;

const attachmentToWire = (attachment: MessageView["attachment"]) =>
  attachment?.url
    ? { url: attachment.url, tipo: attachment.kind, nombre: attachment.name, bytes: attachment.bytes }
    : null;

const fileStateToWire: Readonly<Record<FileView["state"], string>> = {
  waiting: "pendiente",
  done: "listo",
  gone: "no_disponible",
};

const fileTroubleToWire: Readonly<Record<FileTrouble, string>> = {
  "not-there": "La plataforma no tiene el archivo",
  "too-large": "El archivo es más grande de lo que se admite",
  "type-refused": "El archivo es de un tipo que no se guarda",
  empty: "El archivo está vacío",
  "no-room": "No hay espacio: se alcanzó la cuota de archivos de la empresa",
  "no-sender": "El canal por el que llegó ya no está conectado",
  unreachable: "La plataforma no entregó el archivo",
  "not-stored": "El archivo no se pudo guardar",
};

/** The platform's fields, and the state of the message's file. */
function detailsToWire({ details, file, attachment }: MessageView): object | null {
  if (isWithdrawn(details)) return { eliminado: true };
  if (!file) return details;
  const archivo = {
    estado: fileStateToWire[file.state],
    tipo: file.kind,
    nombre: attachment?.name ?? file.name,
    motivo: file.reason && (fileTroubleToWire[file.reason] ?? null),
  };
  return { ...details, archivo };
}

export const messageToWire = (message: MessageView) => ({
  id: message.id,
  direccion: directions[message.direction],
  tipo: message.kind,
  texto: message.body,
  media_url: message.mediaUrl,
  autor: authors[message.author],
  autor_nombre: message.authorName,
  // Message states have the same names on the wire.
  estado: message.state,
  error: failureToWire(message),
  fecha: iso(message.occurredAt),
  platform_message_id: message.platformMessageId,
  adjunto: attachmentToWire(message.attachment),
  detalles: detailsToWire(message),
  editado: message.editedAt ? iso(message.editedAt) : null,
  responde_a: message.replyToId,
  nota: message.internal,
  reacciones: message.reactions.map(({ author, emoji }) => ({ autor: author, emoji })),
});

const ticketToWire = ({ id, state, step, department }: TicketView) => ({
  id,
  estado: ticketStateToWire[state],
  paso: namedToWire(step),
  departamento: department && namedToWire(department),
});

export const chatToWire = (chat: ChatView) => ({
  chat_id: chat.chatId,
  contacto: contactToWire(chat.contact),
  provider: chat.provider,
  soporte_id: chat.supportUserId,
  anuncio_id: chat.adId,
  conversacion_id: chat.conversationId,
  estado: chatStateToWire[chat.state],
  bot_disponible: chat.botAvailable,
  ultimo_mensaje: chat.lastMessageAt && iso(chat.lastMessageAt),
  mensaje: chat.lastMessage && {
    id: chat.lastMessage.id,
    direccion: directions[chat.lastMessage.direction],
    tipo: chat.lastMessage.kind,
    texto: chat.lastMessage.preview,
    autor: authors[chat.lastMessage.author ?? (chat.lastMessage.direction === "in" ? "contact" : "user")],
    autor_nombre: chat.lastMessage.authorName,
    nota: chat.lastMessage.internal ?? false,
  },
  no_leidos: chat.unread,
  ventana_requerida: chat.windowed,
  ventana_hasta: chat.windowUntil && iso(chat.windowUntil),
  tags: chat.tags.map(namedToWire),
  ticket: chat.ticket && ticketToWire(chat.ticket),
  version: chat.version,
});

export const wholeContactToWire = (contact: WholeContact) => ({
  ...contactToWire(contact),
  opted_out: contact.optedOut,
  campos: contact.fields,
  tags: contact.tags.map(namedToWire),
  creado: iso(contact.createdAt),
});

export const listedContactToWire = (contact: ListedContact) => ({
  ...wholeContactToWire(contact),
  opted_out_desde: contact.optedOutAt && iso(contact.optedOutAt),
  chats: contact.chats.map(({ chatId, provider, lastMessageAt }) => ({
    chat_id: chatId,
    provider,
    ultimo_mensaje: lastMessageAt && iso(lastMessageAt),
  })),
});

/** The temperatures are those of the latest conversation; null if not set. */
export const chatDetailsToWire = (chat: ChatDetails, orders: readonly OrderSummary[]) => ({
  ...chatToWire(chat),
  contacto: wholeContactToWire(chat.wholeContact),
  conversaciones: chat.conversations.map(({ id, state, closeReason, adId, createdAt, closedAt }) => ({
    id,
    estado: chatStateToWire[state],
    motivo: closeReason,
    anuncio_id: adId,
    creada: iso(createdAt),
    cerrada: closedAt && iso(closedAt),
  })),
  tickets: chat.tickets.map((ticket) => ({
    ...ticketToWire(ticket),
    agente: ticket.agent && namedToWire(ticket.agent),
    creado: iso(ticket.createdAt),
    cerrado: ticket.closedAt && iso(ticket.closedAt),
  })),
  pedidos: orders.map(({ id, state, total, createdAt }) => ({ id, tab: state, total, createdAt })),
  anuncio: chat.referral,
  temperatura_ia: chat.temperatures?.ai ?? null,
  temperatura_agente: chat.temperatures?.agent ?? null,
});

export const agentToWire = ({ id, name, available, departmentIds, openTickets }: AgentView) => ({
  id,
  nombre: name,
  disponible: available,
  departamentos: departmentIds,
  tickets_abiertos: openTickets,
});

/** The shapes that the inbox logs; see `announce-sql.ts` and `ticket-desk.ts`. */
interface Contact {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly platformId: string;
}

interface NewMessage {
  readonly chatId: number;
  readonly conversationId: number;
  readonly contact: Contact;
  readonly message: {
    readonly id: number;
    readonly direction: "in" | "out";
    readonly kind: string;
    readonly body: string;
    readonly mediaUrl: string | null;
    readonly author: keyof typeof authors;
    readonly authorName: string;
    readonly state: string;
    readonly errorCode: number | null;
    readonly errorReason: string | null;
    readonly occurredAt: string;
  };
}

interface MessageStatus {
  readonly chatId: number;
  readonly conversationId: number;
  readonly conversationState: keyof typeof conversationStates;
  readonly messageId: number;
  readonly state: string;
  readonly errorCode: number | null;
  readonly errorReason: string | null;
}

interface InboxRow {
  readonly chatId: number;
  readonly contact: Contact;
  readonly provider: string;
  readonly supportUserId: number | null;
  readonly adId: string | null;
  readonly conversationId: number;
  readonly conversationState: keyof typeof conversationStates;
  readonly lastMessageAt: string;
  readonly lastMessage: {
    readonly id: number;
    readonly direction: "in" | "out";
    readonly kind: string;
    readonly preview: string;
    readonly authorName: string;
  };
}

interface Named {
  readonly id: number;
  readonly name: string;
}

interface NewTicket {
  readonly ticketId: number;
  readonly state: keyof typeof ticketStates;
  readonly createdAt: string;
  readonly chatId: number;
  readonly conversationId: number;
  readonly provider: string;
  readonly conversationState: keyof typeof conversationStates;
  readonly contact: Contact;
  readonly step: Named;
  readonly department: Named | null;
  readonly agent: Named;
}

const authors = { contact: "contacto", business: "empresa", user: "usuario", bot: "bot" } as const;
const conversationStates = { bot: "bot", pending: "pendiente", in_progress: "proceso" } as const;
const ticketStates = {
  pending: "pendiente",
  in_progress: "proceso",
  completed: "completado",
  cancelled: "cancelado",
} as const;
const directions = { in: "entrante", out: "saliente" } as const;

/** Timestamps come out of jsonb with the database's offset and microseconds. */
const iso = (timestamp: string): string => new Date(timestamp).toISOString();

const contactToWire = ({ id, name, phone, platformId }: Contact) => ({
  id,
  nombre: name,
  numero: phone,
  platform_id: platformId,
});

const namedToWire = ({ id, name }: Named) => ({ id, nombre: name });

const failureToWire = ({ errorCode, errorReason }: Pick<MessageStatus, "errorCode" | "errorReason">) =>
  errorCode === null && errorReason === null ? null : { codigo: errorCode, motivo: errorReason };

/** The wire's spelling of each event of the inbox. */
export const inboxEvents = {
  "message:new": ({ chatId, conversationId, contact, message }: NewMessage) => ({
    chat_id: chatId,
    conversacion_id: conversationId,
    contacto: contactToWire(contact),
    mensaje: {
      id: message.id,
      direccion: directions[message.direction],
      tipo: message.kind,
      texto: message.body,
      media_url: message.mediaUrl,
      autor: authors[message.author],
      autor_nombre: message.authorName,
      estado: message.state,
      error: failureToWire(message),
      fecha: iso(message.occurredAt),
    },
  }),
  "message:status": (status: MessageStatus) => ({
    chat_id: status.chatId,
    conversacion_id: status.conversationId,
    // A message whose answer was lost takes its conversation only now.
    conversacion_estado: conversationStates[status.conversationState],
    mensaje_id: status.messageId,
    estado: status.state,
    error: failureToWire(status),
  }),
  "inbox:reorder": (row: InboxRow) => ({
    chat_id: row.chatId,
    contacto: contactToWire(row.contact),
    provider: row.provider,
    soporte_id: row.supportUserId,
    anuncio_id: row.adId,
    conversacion_id: row.conversationId,
    estado: conversationStates[row.conversationState],
    ultimo_mensaje: iso(row.lastMessageAt),
    mensaje: {
      id: row.lastMessage.id,
      direccion: directions[row.lastMessage.direction],
      tipo: row.lastMessage.kind,
      texto: row.lastMessage.preview,
      autor_nombre: row.lastMessage.authorName,
    },
  }),
  "ticket:new": (ticket: NewTicket) => ({
    ticket_id: ticket.ticketId,
    estado: ticketStates[ticket.state],
    chat_id: ticket.chatId,
    conversacion_id: ticket.conversationId,
    conversacion_estado: conversationStates[ticket.conversationState],
    contacto: contactToWire(ticket.contact),
    provider: ticket.provider,
    soporte_id: ticket.agent.id,
    agente: namedToWire(ticket.agent),
    paso: namedToWire(ticket.step),
    departamento: ticket.department && namedToWire(ticket.department),
    fecha: iso(ticket.createdAt),
  }),
};

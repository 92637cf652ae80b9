import {
  arrayOf,
  boolean,
  integer,
  named,
  nullableInteger,
  nullableNumber,
  nullableText,
  nullableTimestamp,
  objectWith,
  orNull,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import { chatChannels } from "../../../kernel/channels.ts";
import { chatStateToWire, ticketStateToWire } from "../wire/inbox-wire.ts";

export const namedSchema = named("Reference", objectWith({ id: integer, nombre: text }));
const nullableNamed = orNull(namedSchema);
export const chatState = named("ChatState", { type: "string", enum: Object.values(chatStateToWire) });
export const ticketState = named("TicketState", { type: "string", enum: Object.values(ticketStateToWire) });
export const messageState = named("MessageState", {
  type: "string",
  enum: ["received", "queued", "sending", "unknown", "sent", "failed", "delivered", "read"],
} as const);
const direction = { type: "string", enum: ["entrante", "saliente"] } as const;
const author = { type: "string", enum: ["contacto", "empresa", "usuario", "bot"] } as const;

const contactFields = { id: integer, nombre: text, numero: text, platform_id: text } as const;
export const contactSchema = named("Contacto", objectWith(contactFields));

const ticketFields = {
  id: integer,
  estado: ticketState,
  paso: namedSchema,
  departamento: nullableNamed,
} as const;

const ticketSchema = named("Ticket", objectWith(ticketFields));

const lastMessageSchema = named(
  "LastMessage",
  objectWith({
    id: integer,
    direccion: direction,
    tipo: text,
    texto: text,
    autor: author,
    autor_nombre: text,
    nota: boolean,
  }),
);

export const chatFields = {
  chat_id: integer,
  contacto: contactSchema,
  provider: { type: "string", enum: chatChannels },
  soporte_id: nullableInteger,
  anuncio_id: nullableText,
  conversacion_id: nullableInteger,
  estado: chatState,
  bot_disponible: boolean,
  ultimo_mensaje: nullableTimestamp,
  mensaje: orNull(lastMessageSchema),
  no_leidos: integer,
  ventana_requerida: boolean,
  ventana_hasta: nullableTimestamp,
  tags: arrayOf(namedSchema),
  ticket: orNull(ticketSchema),
  version: integer,
} as const;
export const chatSchema = named("Chat", objectWith(chatFields));

/** Why a message failed: the platform's code and text, or only the service's own reason. */
export const failureSchema = named("MessageFailure", objectWith({ codigo: nullableInteger, motivo: nullableText }));

export const messageSchema = named(
  "Mensaje",
  objectWith({
    id: integer,
    direccion: direction,
    tipo: text,
    texto: text,
    media_url: nullableText,
    autor: author,
    autor_nombre: text,
    estado: messageState,
    error: orNull(failureSchema),
    fecha: timestamp,
    platform_message_id: nullableText,
    adjunto: orNull(
      named("Attachment", objectWith({ url: text, tipo: text, nombre: nullableText, bytes: nullableInteger })),
    ),
    detalles: {
      type: ["object", "null"],
      description:
        "Other data of the platform, in its own fields. `archivo` is present if the message has a file: " +
        "`{ estado, tipo, nombre, motivo }`. Its `estado` is `pendiente` (downloading, `adjunto` is null), `listo` (see " +
        "`adjunto`) or `no_disponible` (`motivo` has the reason)",
    },
    editado: {
      ...nullableTimestamp,
      description: "Time of the author's last edit; `texto` is the edited text. Null if it was never edited",
    },
    responde_a: nullableInteger,
    nota: boolean,
    reacciones: arrayOf(named("Reaction", objectWith({ autor: text, emoji: text }))),
  }),
);

export const wholeContactSchema = named(
  "ContactDetails",
  objectWith({
    ...contactFields,
    opted_out: boolean,
    campos: { type: "object", additionalProperties: text },
    tags: arrayOf(namedSchema),
    creado: timestamp,
  }),
);

export const listedContactSchema = named(
  "ContactWithChats",
  objectWith({
    ...wholeContactSchema.properties,
    opted_out_desde: nullableTimestamp,
    chats: arrayOf(
      objectWith({
        chat_id: integer,
        provider: { type: "string", enum: chatChannels },
        ultimo_mensaje: nullableTimestamp,
      }),
    ),
  }),
);

export const chatDetailsSchema = named(
  "ChatDetails",
  objectWith({
    ...chatFields,
    contacto: wholeContactSchema,
    conversaciones: arrayOf(
      objectWith({
        id: integer,
        estado: chatState,
        motivo: { ...nullableText, description: "The reason that the closing user gave" },
        anuncio_id: nullableText,
        creada: timestamp,
        cerrada: nullableTimestamp,
      }),
    ),
    tickets: arrayOf(
      objectWith({ ...ticketFields, agente: nullableNamed, creado: timestamp, cerrado: nullableTimestamp }),
    ),
    pedidos: arrayOf(objectWith({ id: integer, tab: text, total: { type: "number" }, createdAt: timestamp })),
    anuncio: { type: ["object", "null"] },
    temperatura_ia: nullableNumber,
    temperatura_agente: nullableNumber,
  }),
);

export const agentSchema = named(
  "Agent",
  objectWith({
    id: integer,
    nombre: text,
    disponible: boolean,
    departamentos: arrayOf(integer),
    tickets_abiertos: integer,
  }),
);

export const pageOf = <const Item extends object>(items: Item) =>
  objectWith({ data: arrayOf(items), next: nullableText });

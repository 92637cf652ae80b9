import {
  integer,
  nullableInteger,
  nullableText,
  objectWith,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import { chatChannels } from "../../../kernel/channels.ts";
import { chatStates, ticketStates } from "../wire/inbox-wire.ts";

/** What clients get of the inbox, as `inbox-wire.ts` spells it. */

const boolean = { type: "boolean" } as const;
const nullableNumber = { type: ["number", "null"] } as const;
const nullableTimestamp = { type: ["string", "null"], format: "date-time" } as const;
export const namedSchema = objectWith({ id: integer, nombre: text });
const nullableNamed = { ...namedSchema, type: ["object", "null"] } as const;
export const chatState = { type: "string", enum: Object.values(chatStates) } as const;
export const ticketState = { type: "string", enum: Object.values(ticketStates) } as const;
export const messageState = {
  type: "string",
  enum: ["received", "queued", "sending", "unknown", "sent", "failed", "delivered", "read"],
} as const;
const direction = { type: "string", enum: ["entrante", "saliente"] } as const;

export const contactFields = { id: integer, nombre: text, numero: text, platform_id: text } as const;
export const contactSchema = objectWith(contactFields);

const ticketFields = {
  id: integer,
  estado: ticketState,
  paso: namedSchema,
  departamento: nullableNamed,
} as const;

const chatFields = {
  chat_id: integer,
  contacto: contactSchema,
  provider: { type: "string", enum: chatChannels },
  soporte_id: nullableInteger,
  anuncio_id: nullableText,
  conversacion_id: nullableInteger,
  estado: chatState,
  ultimo_mensaje: nullableTimestamp,
  mensaje: {
    ...objectWith({ id: integer, direccion: direction, tipo: text, texto: text, autor_nombre: text }),
    type: ["object", "null"],
  },
  no_leidos: integer,
  ventana_requerida: boolean,
  ventana_hasta: nullableTimestamp,
  tags: { type: "array", items: namedSchema },
  ticket: { ...objectWith(ticketFields), type: ["object", "null"] },
  version: integer,
} as const;
export const chatSchema = objectWith(chatFields);

export const messageSchema = objectWith({
  id: integer,
  direccion: direction,
  tipo: text,
  texto: text,
  media_url: nullableText,
  autor: { type: "string", enum: ["contacto", "empresa", "usuario", "bot"] },
  autor_nombre: text,
  estado: messageState,
  error: { ...objectWith({ codigo: nullableInteger, motivo: nullableText }), type: ["object", "null"] },
  fecha: timestamp,
  platform_message_id: nullableText,
  adjunto: {
    ...objectWith({ url: nullableText, tipo: text, nombre: nullableText, bytes: nullableInteger }),
    type: ["object", "null"],
  },
  detalles: { type: ["object", "null"] },
  responde_a: nullableInteger,
  nota: boolean,
  reacciones: { type: "array", items: objectWith({ autor: text, emoji: text }) },
});

export const wholeContactSchema = objectWith({
  ...contactFields,
  opted_out: boolean,
  campos: { type: "object", additionalProperties: text },
  tags: { type: "array", items: namedSchema },
  creado: timestamp,
});

export const listedContactSchema = objectWith({
  ...wholeContactSchema.properties,
  chats: { type: "array", items: objectWith({ chat_id: integer, provider: { type: "string", enum: chatChannels } }) },
});

export const chatDetailsSchema = objectWith({
  ...chatFields,
  bot_disponible: boolean,
  contacto: wholeContactSchema,
  conversaciones: {
    type: "array",
    items: objectWith({
      id: integer,
      estado: chatState,
      anuncio_id: nullableText,
      creada: timestamp,
      cerrada: nullableTimestamp,
    }),
  },
  tickets: {
    type: "array",
    items: objectWith({ ...ticketFields, agente: namedSchema, creado: timestamp, cerrado: nullableTimestamp }),
  },
  pedidos: {
    type: "array",
    items: objectWith({ id: integer, tab: text, total: { type: "number" }, createdAt: timestamp }),
  },
  anuncio: { type: ["object", "null"] },
  temperatura_ia: nullableNumber,
  temperatura_agente: nullableNumber,
});

export const agentSchema = objectWith({
  id: integer,
  nombre: text,
  disponible: boolean,
  departamentos: { type: "array", items: integer },
  tickets_abiertos: integer,
});

export const pageOf = <const Item extends object>(items: Item) =>
  objectWith({ data: { type: "array", items }, next: nullableText });

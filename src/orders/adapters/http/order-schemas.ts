import type { Schema } from "../../../infra/http/routing/schema.ts";
import { nullableInteger, nullableText, text, timestamp } from "../../../infra/http/routing/schema.ts";
import { statusOf, storedStatuses } from "../../domain/states.ts";
import type { listedToWire, orderToWire, updatedToWire } from "../wire/order-wire.ts";

const integer = { type: "integer" } as const;
const amount = { type: "number" } as const;
const nullableAmount = { type: ["number", "null"] } as const;
const nullableTimestamp = { type: ["string", "null"], format: "date-time" } as const;
const decimal = { type: "string", pattern: "^\\d+\\.\\d{2}$" } as const;

const orNull = <const S extends Schema>(schema: S) => ({ anyOf: [schema, { type: "null" }] }) as const;

const named = {
  type: "object",
  required: ["id", "nombre"],
  properties: { id: integer, nombre: text },
} as const satisfies Schema;

const contact = {
  type: "object",
  required: ["id", "nombre", "numero", "platform_id"],
  properties: { id: integer, nombre: text, numero: text, platform_id: text },
} as const satisfies Schema;

const chat = {
  type: "object",
  required: ["id", "contacto", "soporte_id", "ultimo_mensaje"],
  properties: { id: integer, contacto: contact, soporte_id: nullableInteger, ultimo_mensaje: nullableTimestamp },
} as const satisfies Schema;

const zone = {
  type: "object",
  required: ["id", "precio", "sucursal"],
  properties: { id: integer, precio: decimal, sucursal: orNull(named) },
} as const satisfies Schema;

const detail = {
  type: "object",
  required: ["id", "quantity", "type", "retailer_id", "articulo", "extras"],
  properties: {
    id: integer,
    quantity: integer,
    type: { enum: ["item", "delivery_coupon"] },
    retailer_id: nullableText,
    articulo: {
      type: "object",
      required: ["id", "name", "price"],
      properties: { id: integer, name: text, price: decimal },
    },
    extras: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "extra_id", "extra"],
        properties: {
          id: integer,
          extra_id: integer,
          extra: {
            type: "object",
            required: ["id", "name", "charge"],
            properties: { id: integer, name: text, charge: decimal },
          },
        },
      },
    },
  },
} as const satisfies Schema;

const location = {
  type: "object",
  required: ["lat", "lng", "at"],
  properties: { lat: { type: "number" }, lng: { type: "number" }, at: nullableTimestamp },
} as const satisfies Schema;

const recordFields = {
  id: integer,
  status: { enum: storedStatuses },
  type: text,
  shipment_method: { enum: ["delivery", "pickup", null] },
  payment_method: nullableText,
  sucursal_id: nullableInteger,
  location_picked: nullableText,
  raw_adress: nullableText,
  paid: { type: ["boolean", "null"] },
  schedule_at: nullableTimestamp,
  lat: nullableAmount,
  lng: nullableAmount,
  zone_id: nullableInteger,
  empresa_id: integer,
  chat_id: nullableInteger,
  cancel_reason: nullableText,
  transactionId: nullableText,
  paidExpire: nullableTimestamp,
  extra_data: { type: "object" },
  createdAt: timestamp,
  updatedAt: timestamp,
} as const satisfies Record<string, Schema>;

const optionalRecordFields = { external_user_id: text } as const;

const listedFields = {
  id: recordFields.id,
  status: recordFields.status,
  type: recordFields.type,
  shipment_method: recordFields.shipment_method,
  payment_method: recordFields.payment_method,
  createdAt: recordFields.createdAt,
  total: amount,
  discount: amount,
  details: { type: "array", items: detail },
  chat: orNull(chat),
  sucursal: orNull(named),
  zona: orNull(zone),
} as const satisfies Record<keyof ReturnType<typeof listedToWire>, Schema>;

/** §13 An order as lists show it. */
export const listedOrderSchema = {
  type: "object",
  required: Object.keys(listedFields),
  properties: listedFields,
} as const satisfies Schema;

const shownFields = {
  ...recordFields,
  sucursal: orNull(named),
  zona: orNull(zone),
  chat: orNull(chat),
  empresa: named,
  user: orNull(named),
  driver: orNull({ ...named, properties: { ...named.properties, telefono: nullableText } } as const),
  details: { type: "array", items: detail },
  total: amount,
  discount: amount,
  speedy_delivery_price: nullableAmount,
  tax_id_label: text,
} as const satisfies Record<string, Schema>;

const inAppChat = {
  type: "object",
  required: ["id", "contacto", "ultimo_mensaje"],
  properties: {
    id: integer,
    contacto: {
      type: "object",
      required: ["id", "nombre", "platform_id"],
      properties: { id: integer, nombre: text, platform_id: text },
    },
    ultimo_mensaje: nullableTimestamp,
  },
} as const satisfies Schema;

/** §12 An order with everything that belongs to it. */
export const orderSchema = {
  type: "object",
  required: Object.keys(shownFields),
  properties: {
    ...shownFields,
    ...optionalRecordFields,
    tracker: location,
    in_app_chat: inAppChat,
  } satisfies Record<keyof ReturnType<typeof orderToWire>, Schema>,
} as const satisfies Schema;

/** §14 The record of a cancelled order with its contact. */
export const cancelledOrderSchema = {
  type: "object",
  required: [...Object.keys(recordFields), "chat"],
  properties: {
    ...recordFields,
    ...optionalRecordFields,
    status: { const: statusOf.cancelled },
    chat: orNull({
      type: "object",
      required: ["id", "contacto"],
      properties: { id: integer, contacto: contact },
    } as const),
  },
} as const satisfies Schema;

const updatedFields = {
  id: recordFields.id,
  shipment_method: recordFields.shipment_method,
  payment_method: recordFields.payment_method,
  sucursal_id: recordFields.sucursal_id,
  location_picked: recordFields.location_picked,
  raw_adress: recordFields.raw_adress,
  paid: recordFields.paid,
  schedule_at: recordFields.schedule_at,
  lat: recordFields.lat,
  lng: recordFields.lng,
  zone_id: recordFields.zone_id,
  sucursal: orNull(named),
  zona: orNull(zone),
} as const satisfies Record<keyof ReturnType<typeof updatedToWire>, Schema>;

/** §9 What an update may have changed of an order. */
export const updatedOrderSchema = {
  type: "object",
  required: Object.keys(updatedFields),
  properties: updatedFields,
  additionalProperties: false,
} as const satisfies Schema;

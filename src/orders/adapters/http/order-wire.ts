import type { Schema } from "../../../infra/http/schema.ts";
import { nullableInteger, nullableText, text, timestamp } from "../../../infra/http/schema.ts";
import { decimalOf, numberOf } from "../../../kernel/money.ts";
import type { OrderWithTracker } from "../../application/get-order.ts";
import type { DriverLocation } from "../../application/integrations.ts";
import type { CancelledOrder, ListedOrder, ShownOrder } from "../../application/read-ports.ts";
import type { Branch, Contact, Line, Order, Zone } from "../../domain/order.ts";
import { speedyPriceOf, totalsOf } from "../../domain/total.ts";

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

const listedFields = {
  id: integer,
  status: { enum: [1, 2, 3, 4, 5, 8] },
  type: text,
  shipment_method: { enum: ["delivery", "pickup", null] },
  payment_method: nullableText,
  createdAt: timestamp,
  total: amount,
  discount: amount,
  details: { type: "array", items: detail },
  chat: orNull(chat),
  sucursal: orNull(named),
  zona: orNull(zone),
} as const satisfies Record<string, Schema>;

const recordFields = {
  id: integer,
  status: { enum: [1, 2, 3, 4, 5, 8] },
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

/** §12 An order with everything that belongs to it. */
export const orderSchema = {
  type: "object",
  required: Object.keys(shownFields),
  properties: {
    ...shownFields,
    ...optionalRecordFields,
    tracker: location,
    in_app_chat: {
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
    },
  },
} as const satisfies Schema;

/** §14 The record of a cancelled order with its contact. */
export const cancelledOrderSchema = {
  type: "object",
  required: [...Object.keys(recordFields), "chat"],
  properties: {
    ...recordFields,
    ...optionalRecordFields,
    status: { const: 5 },
    chat: orNull({
      type: "object",
      required: ["id", "contacto"],
      properties: { id: integer, contacto: contact },
    } as const),
  },
} as const satisfies Schema;

export function orderToWire({ order, tracker }: OrderWithTracker) {
  const { total, discount } = totalsOf(order);
  const speedyPrice = speedyPriceOf(order);
  return recordToWire(order, {
    sucursal: order.branch && namedToWire(order.branch),
    zona: order.zone && zoneToWire(order.zone),
    chat: order.chat && chatToWire(order.chat),
    empresa: namedToWire(order.business),
    user: order.user && namedToWire(order.user),
    driver: order.driver && { ...namedToWire(order.driver), telefono: order.driver.phone },
    details: order.lines.map(lineToWire),
    total: numberOf(total),
    discount: numberOf(discount),
    speedy_delivery_price: speedyPrice === null ? null : numberOf(speedyPrice),
    tax_id_label: order.taxIdLabel,
    tracker: tracker ? locationToWire(tracker) : undefined,
    in_app_chat: order.inAppChat ? inAppChatToWire(order.inAppChat) : undefined,
  });
}

export function listedToWire(order: ListedOrder) {
  const { total, discount } = totalsOf(order);
  return {
    id: order.id,
    status: order.status,
    type: order.type,
    shipment_method: order.shipmentMethod,
    payment_method: order.paymentMethod,
    createdAt: order.createdAt.toISOString(),
    total: numberOf(total),
    discount: numberOf(discount),
    details: order.lines.map(lineToWire),
    chat: order.chat && chatToWire(order.chat),
    sucursal: order.branch && namedToWire(order.branch),
    zona: order.zone && zoneToWire(order.zone),
  };
}

export const cancelledToWire = (order: CancelledOrder) =>
  recordToWire(order, { chat: order.chat && { id: order.chat.id, contacto: contactToWire(order.chat.contact) } });

type Around = { readonly [Name in Exclude<keyof typeof orderSchema.properties, keyof typeof recordFields>]?: unknown };

/**
 * The order's own fields, then what surrounds it. Written out as one literal, where what is undefined stays out of the
 * JSON: an object put together of several is many times slower to make and to write.
 */
const recordToWire = (order: Omit<CancelledOrder, "chat">, more: Around) => ({
  id: order.id,
  status: order.status,
  type: order.type,
  shipment_method: order.shipmentMethod,
  payment_method: order.paymentMethod,
  sucursal_id: order.branchId,
  location_picked: order.locationLabel,
  raw_adress: order.rawAddress,
  paid: order.paid,
  schedule_at: order.scheduledAt?.toISOString() ?? null,
  lat: order.latitude,
  lng: order.longitude,
  zone_id: order.zoneId,
  empresa_id: order.businessId,
  chat_id: order.chatId,
  external_user_id: order.externalUserId ?? undefined,
  cancel_reason: order.cancelReason,
  transactionId: order.transactionId,
  paidExpire: order.paymentExpiresAt?.toISOString() ?? null,
  extra_data: order.extraData,
  createdAt: order.createdAt.toISOString(),
  updatedAt: order.updatedAt.toISOString(),
  sucursal: more.sucursal,
  zona: more.zona,
  chat: more.chat,
  empresa: more.empresa,
  user: more.user,
  driver: more.driver,
  details: more.details,
  total: more.total,
  discount: more.discount,
  speedy_delivery_price: more.speedy_delivery_price,
  tax_id_label: more.tax_id_label,
  tracker: more.tracker,
  in_app_chat: more.in_app_chat,
});

const namedToWire = ({ id, name }: Branch) => ({ id, nombre: name });

const zoneToWire = ({ id, price, branch }: Zone) => ({
  id,
  precio: decimalOf(price),
  sucursal: branch && namedToWire(branch),
});

const contactToWire = ({ id, name, phone, platformId }: Contact) => ({
  id,
  nombre: name,
  numero: phone,
  platform_id: platformId,
});

const chatToWire = ({ id, contact, supportUserId, lastMessageAt }: NonNullable<Order["chat"]>) => ({
  id,
  contacto: contactToWire(contact),
  soporte_id: supportUserId,
  ultimo_mensaje: lastMessageAt?.toISOString() ?? null,
});

const lineToWire = ({ id, quantity, type, retailerId, article, extras }: Line) => ({
  id,
  quantity,
  type,
  retailer_id: retailerId,
  articulo: { id: article.id, name: article.name, price: decimalOf(article.price) },
  extras: extras.map(({ id, extra }) => ({
    id,
    extra_id: extra.id,
    extra: { id: extra.id, name: extra.name, charge: decimalOf(extra.charge) },
  })),
});

const locationToWire = ({ latitude: lat, longitude: lng, at }: DriverLocation) => ({
  lat,
  lng,
  at: at?.toISOString() ?? null,
});

const inAppChatToWire = ({ id, contact, lastMessageAt }: NonNullable<ShownOrder["inAppChat"]>) => ({
  id,
  contacto: { id: contact.id, nombre: contact.name, platform_id: contact.platformId },
  ultimo_mensaje: lastMessageAt?.toISOString() ?? null,
});

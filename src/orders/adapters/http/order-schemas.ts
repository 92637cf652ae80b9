import {
  integer,
  named,
  nullableInteger,
  nullableText,
  objectWith,
  orNull,
  type Schema,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import { statusOf, storedStatuses } from "../../domain/states.ts";
import type { listedToWire, orderToWire, updatedToWire } from "../wire/order-wire.ts";

const amount = { type: "number", example: 45.5 } as const;
const nullableAmount = { type: ["number", "null"] } as const;
const nullableTimestamp = { type: ["string", "null"], format: "date-time" } as const;
const decimal = { type: "string", pattern: "^\\d+\\.\\d{2}$", example: "45.50" } as const;

/** The inbox also defines `Reference`. The two definitions must be equal. */
const reference = named("Reference", objectWith({ id: integer, nombre: text }));
const contact = named("Contacto", objectWith({ id: integer, nombre: text, numero: text, platform_id: text }));

const chat = named("OrderChat", {
  ...objectWith({ id: integer, contacto: contact, soporte_id: nullableInteger, ultimo_mensaje: nullableTimestamp }),
  description: "In events it is as it was when the order changed: later changes of the chat have events of their own",
});

const zone = named("Zone", objectWith({ id: integer, precio: decimal, sucursal: orNull(reference) }));

const extra = named(
  "OrderLineExtra",
  objectWith({ id: integer, extra_id: integer, extra: objectWith({ id: integer, name: text, charge: decimal }) }),
);

const detail = named(
  "OrderLine",
  objectWith({
    id: integer,
    quantity: integer,
    type: { enum: ["item", "delivery_coupon"] },
    retailer_id: nullableText,
    articulo: objectWith({ id: integer, name: text, price: decimal }),
    extras: { type: "array", items: extra },
  }),
);

const driver = named("Driver", objectWith({ id: integer, nombre: text, telefono: nullableText }));

const location = objectWith({ lat: { type: "number" }, lng: { type: "number" }, at: nullableTimestamp });

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

const some = <const Name extends keyof typeof recordFields>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, recordFields[name]])) as Pick<typeof recordFields, Name>;

const optionalRecordFields = { external_user_id: text } as const;

/** §13 An order as lists show it. */
export const listedOrderSchema = named(
  "ListedOrder",
  objectWith({
    ...some("id", "status", "type", "shipment_method", "payment_method", "createdAt"),
    total: amount,
    discount: amount,
    details: { type: "array", items: detail },
    chat: orNull(chat),
    sucursal: orNull(reference),
    zona: orNull(zone),
  } satisfies Record<keyof ReturnType<typeof listedToWire>, Schema>),
);

const shownFields = {
  ...recordFields,
  sucursal: orNull(reference),
  zona: orNull(zone),
  chat: orNull(chat),
  empresa: reference,
  user: orNull(reference),
  driver: orNull(driver),
  details: { type: "array", items: detail },
  total: amount,
  discount: amount,
  speedy_delivery_price: nullableAmount,
  tax_id_label: text,
} as const satisfies Record<string, Schema>;

const inAppChat = objectWith({
  id: integer,
  contacto: objectWith({ id: integer, nombre: text, platform_id: text }),
  ultimo_mensaje: nullableTimestamp,
});

/** §12 An order with everything that belongs to it. */
export const orderSchema = named("Order", {
  type: "object",
  required: Object.keys(shownFields),
  properties: {
    ...shownFields,
    ...optionalRecordFields,
    tracker: location,
    in_app_chat: inAppChat,
  } satisfies Record<keyof ReturnType<typeof orderToWire>, Schema>,
} as const satisfies Schema);

/** §14 The record of a cancelled order with its contact. */
export const cancelledOrderSchema = named("CancelledOrder", {
  type: "object",
  required: [...Object.keys(recordFields), "chat"],
  properties: {
    ...recordFields,
    ...optionalRecordFields,
    status: { const: statusOf.cancelled },
    chat: orNull(objectWith({ id: integer, contacto: contact })),
  },
} as const satisfies Schema);

/** §9 An order after an update: its id, the fields that an update can change, its branch and its zone. */
export const updatedOrderSchema = named("UpdatedOrder", {
  ...objectWith({
    ...some("id", "shipment_method", "payment_method", "sucursal_id", "location_picked", "raw_adress", "paid"),
    ...some("schedule_at", "lat", "lng", "zone_id"),
    sucursal: orNull(reference),
    zona: orNull(zone),
  } satisfies Record<keyof ReturnType<typeof updatedToWire>, Schema>),
  additionalProperties: false,
} as const satisfies Schema);

const { extra_data, transactionId, paidExpire, ...cardFields } = recordFields;
const { details, ...restOfCard } = {
  ...cardFields,
  sucursal: shownFields.sucursal,
  zona: shownFields.zona,
  chat: shownFields.chat,
  driver: shownFields.driver,
  details: shownFields.details,
  total: amount,
  discount: amount,
  speedy_delivery_price: nullableAmount,
  version: integer,
} as const;

/** The payloads of order events: the fields of an order's card. `wire/order-wire.ts` builds these payloads. */
export const orderEventSchemas = {
  "order:changed": {
    summary: "An order was made or changed",
    description: "The order without the fields that events withhold; the higher `version` is newer.",
    payload: objectWith({ ...restOfCard, details }),
  },
} as const;

/** The payloads that a host of the Pusher protocol delivers. */
export const pushedOrderSchemas = {
  "order:changed": {
    summary: "An order of type app or web was made or changed",
    description: "A payload of more than 10 KiB has `truncado`, no `details` and, if necessary, shortened texts.",
    payload: {
      ...objectWith(restOfCard),
      properties: { ...restOfCard, details, truncado: { type: "boolean", const: true } },
    },
  },
} as const;

import { decimalOf, numberOf } from "../../../kernel/money.ts";
import type { DriverLocation } from "../../application/delivery/integrations.ts";
import type { OrderWithTracker } from "../../application/reads/get-order.ts";
import type { CancelledOrder, ListedOrder, ShownOrder } from "../../application/reads/ports.ts";
import type { Branch, Contact, Line, Order, Zone } from "../../domain/order.ts";
import { speedyPriceOf, totalsOf } from "../../domain/total.ts";
import type { orderSchema, recordFields } from "./order-schemas.ts";

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

/** Written out: taken from the whole record it would be made twice. */
export const updatedToWire = (order: Order) => ({
  id: order.id,
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
  sucursal: order.branch && namedToWire(order.branch),
  zona: order.zone && zoneToWire(order.zone),
});

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

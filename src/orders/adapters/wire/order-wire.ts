import { contactToWire, namedToWire } from "../../../inbox/adapters/wire/inbox-wire.ts";
import type { DriverLocation } from "../../application/delivery/integrations.ts";
import type { OrderCard, Withheld } from "../../application/order-events.ts";
import type { OrderWithTracker } from "../../application/reads/get-order.ts";
import type { CancelledOrder, ListedOrder, ShownOrder } from "../../application/reads/ports.ts";
import type { Chat, Driver, Line, Order, OrderRecord, Zone } from "../../domain/order.ts";
import { type OrderSums, sumsOf } from "../../domain/total.ts";

/** §12 An order with everything that belongs to it. */
export const orderToWire = ({ order, tracker }: OrderWithTracker) =>
  recordToWire(order, sumsOf(order), {
    chat: order.chat && chatToWire(order.chat),
    empresa: namedToWire(order.business),
    user: order.user && namedToWire(order.user),
    driver: order.driver && driverToWire(order.driver),
    tax_id_label: order.taxIdLabel,
    tracker: tracker ? locationToWire(tracker) : undefined,
    in_app_chat: order.inAppChat ? inAppChatToWire(order.inAppChat) : undefined,
  });

/** §13 An order as lists show it. */
export function listedToWire(order: ListedOrder) {
  const { total, discount } = sumsOf(order);
  return {
    id: order.id,
    status: order.status,
    type: order.type,
    shipment_method: order.shipmentMethod,
    payment_method: order.paymentMethod,
    createdAt: order.createdAt,
    total,
    discount,
    details: order.lines.map(lineToWire),
    chat: order.chat && chatToWire(order.chat),
    sucursal: order.branch && namedToWire(order.branch),
    zona: order.zone && zoneToWire(order.zone),
  };
}

/** §14 The record of a cancelled order with its contact. */
export const cancelledToWire = (order: CancelledOrder) =>
  recordToWire(order, null, { chat: order.chat && { id: order.chat.id, contacto: contactToWire(order.chat.contact) } });

/** §9 The fields that an update can change. Building the whole record would take twice the time. */
export const updatedToWire = (order: Order) => ({
  id: order.id,
  shipment_method: order.shipmentMethod,
  payment_method: order.paymentMethod,
  sucursal_id: order.branchId,
  location_picked: order.locationLabel,
  raw_adress: order.rawAddress,
  paid: order.paid,
  schedule_at: order.scheduledAt,
  lat: order.latitude,
  lng: order.longitude,
  zone_id: order.zoneId,
  sucursal: order.branch && namedToWire(order.branch),
  zona: order.zone && zoneToWire(order.zone),
});

/** The wire format of each event of orders. It is the same on every transport. */
export const orderEvents = {
  "order:changed": (card: OrderCard) => {
    const { branch, zone, chat } = card;
    const ids = { branchId: branch?.id ?? null, zoneId: zone?.id ?? null, chatId: chat?.id ?? null };
    const related = { chat: chat && chatToWire(chat), driver: card.driver && driverToWire(card.driver) };
    const wire = recordToWire({ ...card, ...ids }, card, related);
    return Object.assign(wire, { version: card.version });
  },
};

/** Events lack the `Withheld` fields, and cancelled orders lack branch, zone and lines. The JSON omits these fields. */
type WireOrder = Omit<OrderRecord, "version" | "speedyPrice" | Withheld> &
  Partial<Pick<Order, Withheld | "branch" | "zone" | "lines">>;

interface RelatedFields {
  readonly chat: object | null;
  readonly empresa?: object;
  readonly user?: object | null;
  readonly driver?: object | null;
  readonly tax_id_label?: string;
  readonly tracker?: object | undefined;
  readonly in_app_chat?: object | undefined;
}

/**
 * The order's own fields, then the related ones. All are in one literal, because an object merged from several is many
 * times slower to build and to serialize. The JSON omits fields that are undefined.
 */
const recordToWire = (order: WireOrder, sums: OrderSums | null, related: RelatedFields) => ({
  id: order.id,
  status: order.status,
  type: order.type,
  shipment_method: order.shipmentMethod,
  payment_method: order.paymentMethod,
  sucursal_id: order.branchId,
  location_picked: order.locationLabel,
  raw_adress: order.rawAddress,
  paid: order.paid,
  schedule_at: order.scheduledAt,
  lat: order.latitude,
  lng: order.longitude,
  zone_id: order.zoneId,
  empresa_id: order.businessId,
  chat_id: order.chatId,
  external_user_id: order.externalUserId ?? undefined,
  cancel_reason: order.cancelReason,
  transactionId: order.transactionId,
  paidExpire: order.paymentExpiresAt,
  extra_data: order.extraData,
  createdAt: order.createdAt,
  updatedAt: order.updatedAt,
  sucursal: order.branch && namedToWire(order.branch),
  zona: order.zone && zoneToWire(order.zone),
  chat: related.chat,
  empresa: related.empresa,
  user: related.user,
  driver: related.driver,
  details: order.lines?.map(lineToWire),
  total: sums?.total,
  discount: sums?.discount,
  speedy_delivery_price: sums?.speedyPrice,
  tax_id_label: related.tax_id_label,
  tracker: related.tracker,
  in_app_chat: related.in_app_chat,
});

const zoneToWire = ({ id, price, branch }: Zone) => ({
  id,
  precio: price,
  sucursal: branch && namedToWire(branch),
});

const driverToWire = (driver: Driver) => ({ ...namedToWire(driver), telefono: driver.phone });

const chatToWire = ({ id, contact, supportUserId, lastMessageAt }: Chat) => ({
  id,
  contacto: contactToWire(contact),
  soporte_id: supportUserId,
  ultimo_mensaje: lastMessageAt,
});

const lineToWire = ({ id, quantity, type, retailerId, article, extras }: Line) => ({
  id,
  quantity,
  type,
  retailer_id: retailerId,
  articulo: { id: article.id, name: article.name, price: article.price },
  extras: extras.map(({ id, extra }) => ({
    id,
    extra_id: extra.id,
    extra: { id: extra.id, name: extra.name, charge: extra.charge },
  })),
});

const locationToWire = ({ latitude: lat, longitude: lng, at }: DriverLocation) => ({ lat, lng, at });

const inAppChatToWire = ({ id, contact, lastMessageAt }: NonNullable<ShownOrder["inAppChat"]>) => ({
  id,
  contacto: { id: contact.id, nombre: contact.name, platform_id: contact.platformId },
  ultimo_mensaje: lastMessageAt,
});

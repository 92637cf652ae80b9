import type { OrderCard, OrderCardLine } from "../../application/order-events.ts";
import type { Branch } from "../../domain/order.ts";

const namedToWire = ({ id, name }: Branch) => ({ id, nombre: name });

const lineToWire = ({ id, quantity, type, retailerId, article, extras }: OrderCardLine) => ({
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

const chatToWire = ({ id, supportUserId, lastMessageAt, contact }: NonNullable<OrderCard["chat"]>) => ({
  id,
  soporte_id: supportUserId,
  ultimo_mensaje: lastMessageAt,
  contacto: { id: contact.id, nombre: contact.name, numero: contact.phone, platform_id: contact.platformId },
});

const zoneToWire = ({ id, price, branch }: NonNullable<OrderCard["zone"]>) => ({
  id,
  precio: price,
  sucursal: branch && namedToWire(branch),
});

/** The wire's spelling of each event of orders; the same whichever way an event takes to its clients. */
export const orderEvents = {
  "order:changed": (card: OrderCard) => ({
    id: card.id,
    version: card.version,
    status: card.status,
    type: card.type,
    shipment_method: card.shipmentMethod,
    payment_method: card.paymentMethod,
    paid: card.paid,
    cancel_reason: card.cancelReason,
    location_picked: card.locationLabel,
    raw_adress: card.rawAddress,
    schedule_at: card.scheduledAt,
    lat: card.latitude,
    lng: card.longitude,
    sucursal_id: card.branch?.id ?? null,
    zone_id: card.zone?.id ?? null,
    chat_id: card.chat?.id ?? null,
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
    total: card.total,
    discount: card.discount,
    speedy_delivery_price: card.speedyPrice,
    details: card.lines.map(lineToWire),
    chat: card.chat && chatToWire(card.chat),
    sucursal: card.branch && namedToWire(card.branch),
    zona: card.zone && zoneToWire(card.zone),
  }),
};

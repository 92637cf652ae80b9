/** The shape that orders log, as it comes out of the log; see `cardOf` in the store's `order-events.ts`. */
export interface LoggedCard {
  readonly id: number;
  readonly version: number;
  readonly status: number;
  readonly type: string;
  readonly shipmentMethod: string | null;
  readonly paymentMethod: string | null;
  readonly paid: boolean | null;
  readonly cancelReason: string | null;
  readonly locationLabel: string | null;
  readonly rawAddress: string | null;
  readonly scheduledAt: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly total: number;
  readonly discount: number;
  readonly speedyPrice: number | null;
  readonly branch: Named | null;
  readonly zone: { readonly id: number; readonly price: string; readonly branch: Named | null } | null;
  readonly chat: {
    readonly id: number;
    readonly supportUserId: number | null;
    readonly lastMessageAt: string | null;
    readonly contact: {
      readonly id: number;
      readonly name: string;
      readonly phone: string;
      readonly platformId: string;
    };
  } | null;
  readonly lines: readonly LoggedLine[];
}

interface LoggedLine {
  readonly id: number;
  readonly quantity: number;
  readonly type: string;
  readonly retailerId: string | null;
  readonly article: { readonly id: number; readonly name: string; readonly price: string };
  readonly extras: readonly {
    readonly id: number;
    readonly extra: { readonly id: number; readonly name: string; readonly charge: string };
  }[];
}

interface Named {
  readonly id: number;
  readonly name: string;
}

const namedToWire = ({ id, name }: Named) => ({ id, nombre: name });

const lineToWire = ({ id, quantity, type, retailerId, article, extras }: LoggedLine) => ({
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

const chatToWire = ({ id, supportUserId, lastMessageAt, contact }: NonNullable<LoggedCard["chat"]>) => ({
  id,
  soporte_id: supportUserId,
  ultimo_mensaje: lastMessageAt,
  contacto: { id: contact.id, nombre: contact.name, numero: contact.phone, platform_id: contact.platformId },
});

const zoneToWire = ({ id, price, branch }: NonNullable<LoggedCard["zone"]>) => ({
  id,
  precio: price,
  sucursal: branch && namedToWire(branch),
});

/** The wire's spelling of each event of orders; the same whichever way an event takes to its clients. */
export const orderEvents = {
  "order:changed": (card: LoggedCard) => ({
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

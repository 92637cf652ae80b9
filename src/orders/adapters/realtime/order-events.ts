/** The shape that orders log; see `order-events.ts` of the stores. */
interface Card {
  readonly businessId: number;
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
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly total: number;
  readonly discount: number;
  readonly branch: Named | null;
  readonly zone: { readonly id: number; readonly price: number; readonly branch: Named | null } | null;
  readonly chat: {
    readonly id: number;
    readonly supportUserId: number | null;
    readonly lastMessageAt: string | null;
    readonly contact: Named & { readonly phone: string; readonly platformId: string };
  } | null;
  readonly lines: readonly {
    readonly id: number;
    readonly quantity: number;
    readonly type: string;
    readonly retailerId: string | null;
    readonly article: Named & { readonly price: number };
    readonly extras: readonly { readonly id: number; readonly extra: Named & { readonly charge: number } }[];
  }[];
}

interface Named {
  readonly id: number;
  readonly name: string;
}

const namedToWire = ({ id, name }: Named) => ({ id, nombre: name });

const decimal = (amount: number): string => amount.toFixed(2);

/** The wire's spelling of the events of orders: what a card needs to be drawn again. */
export const orderEvents = {
  "order:changed": (card: Card) => ({
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
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
    total: card.total,
    discount: card.discount,
    sucursal: card.branch && namedToWire(card.branch),
    zona: card.zone && {
      id: card.zone.id,
      precio: decimal(card.zone.price),
      sucursal: card.zone.branch && namedToWire(card.zone.branch),
    },
    chat: card.chat && {
      id: card.chat.id,
      contacto: {
        ...namedToWire(card.chat.contact),
        numero: card.chat.contact.phone,
        platform_id: card.chat.contact.platformId,
      },
      soporte_id: card.chat.supportUserId,
      ultimo_mensaje: card.chat.lastMessageAt,
    },
    details: card.lines.map(({ id, quantity, type, retailerId, article, extras }) => ({
      id,
      quantity,
      type,
      retailer_id: retailerId,
      articulo: { id: article.id, name: article.name, price: decimal(article.price) },
      extras: extras.map((one) => ({
        id: one.id,
        extra_id: one.extra.id,
        extra: { id: one.extra.id, name: one.extra.name, charge: decimal(one.extra.charge) },
      })),
    })),
  }),
};

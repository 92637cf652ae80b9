/** An order, as the service's statements return it. */
interface Row {
  readonly [column: string]: unknown;
  readonly id: number;
  readonly shipmentMethod: string | null;
  readonly speedyPrice: string | null;
  readonly discount: string;
  readonly extraData: { readonly customExtras: Readonly<Record<string, Readonly<Record<string, { price: number }>>>> };
  readonly branch: Named | null;
  readonly zone: { id: number; price: string; branch: Named | null } | null;
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
  readonly lines: readonly LineRow[];
}

interface LineRow {
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

const cents = (decimal: string): number => Math.round(Number(decimal) * 100);
const iso = (written: unknown): string | null => (written == null ? null : new Date(written as string).toISOString());

/** The answer of the bare handler, built by hand with plain numbers. */
export const bareOrders = (rows: readonly Row[] | null) =>
  (rows ?? []).map((row) => ({
    id: row.id,
    status: row.status,
    type: row.type,
    shipment_method: row.shipmentMethod,
    payment_method: row.paymentMethod,
    createdAt: iso(row.createdAt),
    ...bareSums(row),
    details: bareLines(row),
    chat: bareChat(row),
    sucursal: bareBranch(row),
    zona: bareZone(row),
  }));

export function bareSums({ id, shipmentMethod, speedyPrice, zone, lines, discount, extraData }: Row) {
  const custom = extraData.customExtras[id];
  let sum = 0;
  let isFree = shipmentMethod === "pickup" || zone === null;
  for (const line of lines) {
    isFree ||= line.type === "delivery_coupon";
    let price = cents(line.article.price);
    for (const { extra } of line.extras) {
      const own = custom?.[`${extra.id}:${line.id}`];
      price += own ? Math.round(own.price * 100) : cents(extra.charge);
    }
    sum += line.quantity * price;
  }
  const shipping = isFree ? 0 : cents((shipmentMethod === "delivery" ? speedyPrice : null) ?? zone?.price ?? "0");
  return { total: Math.max(0, sum + shipping - cents(discount)) / 100, discount: cents(discount) / 100 };
}

export const bareLines = ({ lines }: Row) =>
  lines.map((line) => ({
    id: line.id,
    quantity: line.quantity,
    type: line.type,
    retailer_id: line.retailerId,
    articulo: { id: line.article.id, name: line.article.name, price: line.article.price },
    extras: line.extras.map(({ id, extra }) => ({
      id,
      extra_id: extra.id,
      extra: { id: extra.id, name: extra.name, charge: extra.charge },
    })),
  }));

export const bareChat = ({ chat }: Row) =>
  chat && {
    id: chat.id,
    contacto: {
      id: chat.contact.id,
      nombre: chat.contact.name,
      numero: chat.contact.phone,
      platform_id: chat.contact.platformId,
    },
    soporte_id: chat.supportUserId,
    ultimo_mensaje: iso(chat.lastMessageAt),
  };

export const bareBranch = ({ branch }: Row) => branch && { id: branch.id, nombre: branch.name };

export const bareZone = ({ zone }: Row) =>
  zone && {
    id: zone.id,
    precio: zone.price,
    sucursal: zone.branch && { id: zone.branch.id, nombre: zone.branch.name },
  };

/** A complete order without tracking. */
export const bareOrder = (row: Row & { readonly business: Named; readonly user: Named | null }) => ({
  id: row.id,
  status: row.status,
  type: row.type,
  shipment_method: row.shipmentMethod,
  payment_method: row.paymentMethod,
  sucursal_id: row.branchId,
  location_picked: row.locationLabel,
  raw_adress: row.rawAddress,
  paid: row.paid,
  schedule_at: iso(row.scheduledAt),
  lat: row.latitude,
  lng: row.longitude,
  zone_id: row.zoneId,
  empresa_id: row.businessId,
  chat_id: row.chatId,
  cancel_reason: row.cancelReason,
  transactionId: row.transactionId,
  paidExpire: iso(row.paymentExpiresAt),
  extra_data: row.extraData,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
  sucursal: bareBranch(row),
  zona: bareZone(row),
  chat: bareChat(row),
  empresa: { id: row.business.id, nombre: row.business.name },
  user: row.user && { id: row.user.id, nombre: row.user.name },
  driver: row.driver,
  details: bareLines(row),
  ...bareSums(row),
  speedy_delivery_price: row.speedyPrice === null ? null : Number(row.speedyPrice),
  tax_id_label: row.taxIdLabel,
});

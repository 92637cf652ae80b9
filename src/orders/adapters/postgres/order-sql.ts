import type { Statement } from "../../../infra/postgres/database.ts";
import { moneyOf } from "../../../kernel/money.ts";
import type { ExtraData } from "../../domain/extra-data.ts";
import type { Branch, Line, Order } from "../../domain/order.ts";

export const timezone: Statement = {
  name: "orders_timezone",
  text: "select coalesce(feature_flags ->> 'timezone', 'America/La_Paz') as timezone from businesses where id = $1",
};

/** Parts of an order as JSON or text, where the query calls the order's row `o`. Amounts come as text. */
export const branchJson = `
  (select json_build_object('id', branch.id, 'name', branch.name)
   from branches as branch where branch.business_id = o.business_id and branch.id = o.branch_id)`;

export const zoneJson = `
  (select json_build_object('id', zone.id, 'price', zone.price::text, 'branchId', branch.id, 'branchName', branch.name)
   from zones as zone left join branches as branch
     on branch.business_id = zone.business_id and branch.id = zone.branch_id
   where zone.business_id = o.business_id and zone.id = o.zone_id)`;

export const chatJson = `
  (select json_build_object(
     'id', chat.id, 'supportUserId', chat.support_user_id, 'lastMessageAt', chat.last_message_at,
     'contact', json_build_object(
       'id', contact.id, 'name', contact.name, 'phone', contact.phone, 'platformId', contact.platform_id))
   from chats as chat join contacts as contact
     on contact.business_id = chat.business_id and contact.id = chat.contact_id
   where chat.business_id = o.business_id and chat.id = o.chat_id)`;

/**
 * `offset 0` keeps each article and extra looked up by its key: lines come in the order of their index then, without a
 * sort, and whatever a catalog's size nobody reads through it.
 */
export const linesJson = `
  (select json_agg(
     json_build_object(
       'id', line.id, 'quantity', line.quantity, 'type', line.type, 'retailerId', line.retailer_id,
       'articleId', line.article_id, 'articleName', article.name, 'price', article.price::text,
       'extras', (
         select json_agg(
           json_build_object(
             'id', line_extra.id, 'extraId', line_extra.extra_id, 'name', extra.name, 'charge', extra.charge::text)
           order by line_extra.id)
         from line_extras as line_extra cross join lateral (
           select name, charge from article_extras
           where business_id = line_extra.business_id and id = line_extra.extra_id offset 0) as extra
         where line_extra.business_id = o.business_id and line_extra.line_id = line.id))
     order by line.id)
   from order_lines as line cross join lateral (
     select name, price from articles where business_id = line.business_id and id = line.article_id offset 0) as article
   where line.business_id = o.business_id and line.order_id = o.id)`;

export const discountSum = `
  (select coalesce(sum(discount.amount), 0) from order_discounts as discount
   where discount.business_id = o.business_id and discount.order_id = o.id)`;

/** The fields of an order for `toOrder`, where the query calls the order's row `o`. Amounts come as text. */
export const orderFields = `
  o.business_id as "businessId", o.id, o.version, o.status, o.type, o.shipment_method as "shipmentMethod",
  o.payment_method as "paymentMethod", o.branch_id as "branchId", o.location_label as "locationLabel",
  o.raw_address as "rawAddress", o.paid, o.scheduled_at as "scheduledAt", o.latitude, o.longitude,
  o.zone_id as "zoneId", o.chat_id as "chatId", o.external_user_id as "externalUserId",
  o.cancel_reason as "cancelReason", o.transaction_id as "transactionId",
  o.payment_expires_at as "paymentExpiresAt", o.extra_data as "extraData", o.speedy_price::text as "speedyPrice",
  o.created_at as "createdAt", o.updated_at as "updatedAt",
  ${branchJson} as branch, ${zoneJson} as zone, ${chatJson} as chat, ${linesJson} as lines,
  ${discountSum}::text as discount`;

/**
 * A row with one value, `shown`, for each row of `source`: the driver describes and reads each column of each answer
 * anew, which for thirty of them costs several times what reading one JSON text does.
 */
export const shownAsJson = (fields: string, source: string): string =>
  `select row_to_json(shown) as shown from ${source} cross join lateral (select ${fields}) as shown`;

interface ExtraRow {
  readonly id: number;
  readonly extraId: number;
  readonly name: string;
  readonly charge: string;
}

interface LineRow {
  readonly id: number;
  readonly quantity: number;
  readonly type: Line["type"];
  readonly retailerId: string | null;
  readonly articleId: number;
  readonly articleName: string;
  readonly price: string;
  readonly extras: readonly ExtraRow[] | null;
}

interface ChatRow extends Omit<NonNullable<Order["chat"]>, "lastMessageAt"> {
  readonly lastMessageAt: string | null;
}

interface ZoneRow {
  readonly id: number;
  readonly price: string;
  readonly branchId: number | null;
  readonly branchName: string | null;
}

export type DateName = "scheduledAt" | "paymentExpiresAt" | "createdAt" | "updatedAt";

/** Dates in JSON are texts. */
export type InJson<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Date
    ? string
    : Fields[Name] extends Date | null
      ? string | null
      : Fields[Name];
};

/** What a query hands over of an order in another form than the order has. */
interface RawParts {
  readonly extraData: ExtraData;
  readonly speedyPrice: string | null;
  readonly branch: Branch | null;
  readonly zone: ZoneRow | null;
  readonly chat: ChatRow | null;
  readonly lines: readonly LineRow[] | null;
  readonly discount: string;
}

/** The row of an order, or of some of its fields. */
export type OrderRow<Fields extends object = Order> = Omit<Fields, keyof RawParts> & RawParts;

/** The row of an order whose dates are texts besides. */
export type DatedRow<Fields extends Order = Order> = OrderRow<Omit<Fields, DateName>> & InJson<Pick<Order, DateName>>;

export const datesOf = (row: InJson<Pick<Order, DateName>>): Pick<Order, DateName> => ({
  scheduledAt: dateOf(row.scheduledAt),
  paymentExpiresAt: dateOf(row.paymentExpiresAt),
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
});

export const dateOf = (written: string | null): Date | null => (written === null ? null : new Date(written));

/** Takes the row over, which is nobody else's: copies of what has so many fields cost more than reading it did. */
export const toOrder = <Fields extends object = Order>(row: OrderRow<Fields>) =>
  Object.assign(row, {
    speedyPrice: row.speedyPrice === null ? null : moneyOf(row.speedyPrice),
    zone: row.zone && toZone(row.zone),
    chat: row.chat && { ...row.chat, lastMessageAt: dateOf(row.chat.lastMessageAt) },
    lines: (row.lines ?? []).map(toLine),
    discount: moneyOf(row.discount),
  } as const) as Omit<Fields, keyof RawParts> & Pick<Order, keyof RawParts>;

const toZone = ({ id, price, branchId, branchName }: ZoneRow) => ({
  id,
  price: moneyOf(price),
  branch: branchId === null || branchName === null ? null : { id: branchId, name: branchName },
});

const toLine = ({ id, quantity, type, retailerId, articleId, articleName, price, extras }: LineRow): Line => ({
  id,
  quantity,
  type,
  retailerId,
  article: { id: articleId, name: articleName, price: moneyOf(price) },
  extras: (extras ?? []).map(({ id, extraId, name, charge }) => ({
    id,
    extra: { id: extraId, name, charge: moneyOf(charge) },
  })),
});

import type { Chat, OrderRecord } from "../../domain/order.ts";

/** SQL for parts of an order, here and below. The query must call the order's row `o`. JSON has amounts as text. */
export const branchJson = `
  (select json_build_object('id', branch.id, 'name', branch.name)
   from branches as branch where branch.business_id = o.business_id and branch.id = o.branch_id)`;

/** The price is the zone's price at the time when the order got the zone. */
export const zoneJson = `
  (select json_build_object(
     'id', zone.id, 'price', o.zone_price::text,
     'branch', case when branch.id is not null then json_build_object('id', branch.id, 'name', branch.name) end)
   from zones as zone left join branches as branch
     on branch.business_id = zone.business_id and branch.id = zone.branch_id
   where zone.business_id = o.business_id and zone.id = o.zone_id)`;

export const chatJson = `
  (select json_build_object(
     'id', chat.id, 'supportUserId', chat.support_user_id, 'lastMessageAt', chat.last_message_at,
     'contact', json_build_object(
       'id', contact.id, 'name', contact.name, 'phone', coalesce(contact.phone, ''),
       'platformId', contact.platform_id))
   from chats as chat join contacts as contact
     on contact.business_id = chat.business_id and contact.id = chat.contact_id
   where chat.business_id = o.business_id and chat.id = o.chat_id)`;

/**
 * The article's name and price and the charges of extras are those from when the line was added. `offset 0` makes
 * PostgreSQL look up each extra by its key instead of reading a whole catalog.
 */
export const linesJson = `
  (select coalesce(json_agg(
     json_build_object(
       'id', line.id, 'quantity', line.quantity, 'type', line.type, 'retailerId', line.retailer_id,
       'article', json_build_object('id', line.article_id, 'name', line.name, 'price', line.unit_price::text),
       'extras', (
         select coalesce(json_agg(
           json_build_object(
             'id', line_extra.id,
             'extra', json_build_object('id', line_extra.extra_id, 'name', extra.name, 'charge', line_extra.charge::text))
           order by line_extra.id), '[]')
         from line_extras as line_extra cross join lateral (
           select name from article_extras
           where business_id = line_extra.business_id and id = line_extra.extra_id offset 0) as extra
         where line_extra.business_id = o.business_id and line_extra.line_id = line.id))
     order by line.id), '[]')
   from order_lines as line
   where line.business_id = o.business_id and line.order_id = o.id)`;

export const discountSum = `
  (select coalesce(sum(discount.amount), 0) from order_discounts as discount
   where discount.business_id = o.business_id and discount.order_id = o.id)`;

export const orderColumns = {
  businessId: "business_id",
  id: "id",
  version: "version",
  status: "status",
  type: "type",
  shipmentMethod: "shipment_method",
  paymentMethod: "payment_method",
  branchId: "branch_id",
  locationLabel: "location_label",
  rawAddress: "raw_address",
  paid: "paid",
  scheduledAt: "scheduled_at",
  latitude: "latitude",
  longitude: "longitude",
  zoneId: "zone_id",
  chatId: "chat_id",
  externalUserId: "external_user_id",
  cancelReason: "cancel_reason",
  transactionId: "transaction_id",
  paymentExpiresAt: "payment_expires_at",
  extraData: "extra_data",
  speedyPrice: "speedy_price",
  createdAt: "created_at",
  updatedAt: "updated_at",
} as const satisfies Record<keyof OrderRecord, string>;

type Field = keyof OrderRecord;
export const recordFields = Object.keys(orderColumns) as Field[];

const expressionOf = (field: Field): string => `o.${orderColumns[field]}${field === "speedyPrice" ? "::text" : ""}`;

/** SQL arguments for `json_build_object`: the names and values of the given fields of the order's row `o`. */
export const fieldsJson = (fields: readonly Field[]): string =>
  fields.map((field) => `'${field}', ${expressionOf(field)}`).join(", ");

/** `more` is SQL for further fields of the driver. It begins with a comma. */
export const driverJson = (more = ""): string => `
  (select json_build_object('id', driver.id, 'name', driver.name, 'phone', driver.phone ${more})
   from drivers as driver where driver.business_id = o.business_id and driver.id = o.driver_id)`;

/** The fields of an order whose row is `o`. Amounts come as text, and `withIsoDates` must convert the dates. */
export const orderFields = (driver = driverJson()): string => `
  ${recordFields.map((field) => `${expressionOf(field)} as "${field}"`).join(", ")},
  ${branchJson} as branch, ${zoneJson} as zone, ${chatJson} as chat, ${driver} as driver, ${linesJson} as lines,
  ${discountSum}::text as discount`;

/**
 * One JSON value, `shown`, for each row of `source`. The database driver reads each column on its own: for thirty
 * columns that costs several times as much as reading one JSON text.
 */
export const shownAsJson = (fields: string, source: string): string =>
  `select row_to_json(shown) as shown from ${source} cross join lateral (select ${fields}) as shown`;

export const isoOf = (written: string | null): string | null => written && new Date(written).toISOString();

const dateFields = recordFields.filter((field) => field.endsWith("At"));

/**
 * Converts the dates of the order and its chat from PostgreSQL's format to ISO 8601. Changes the given object, because
 * copying its many fields is slow.
 */
export function withIsoDates<Shown extends { readonly chat: Chat | null }>(order: Shown): Shown {
  const dated: { [Name in string]?: unknown } = order;
  for (const field of dateFields) {
    const written = dated[field];
    if (typeof written === "string") dated[field] = isoOf(written);
  }
  if (order.chat) Object.assign(order.chat, { lastMessageAt: isoOf(order.chat.lastMessageAt) });
  return order;
}

/** The fields that people enter, at the creation or later, by their names in the history. */
export const enteredFields = [
  "shipmentMethod",
  "paymentMethod",
  "branchId",
  "locationLabel",
  "rawAddress",
  "paid",
  "scheduledAt",
  "latitude",
  "longitude",
  "zoneId",
] as const;

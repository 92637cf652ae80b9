import { customExtraKey } from "../orders/domain/extra-data.ts";
import type { DemoOrder } from "./orders.ts";
import type { DemoShop } from "./shop.ts";

/** Whose ids the demo chooses itself. */
export const shopTables = [
  "branches",
  "zones",
  "articles",
  "article_extras",
  "drivers",
  "in_app_contacts",
  "in_app_chats",
  "orders",
  "order_lines",
] as const;

/** Writes the rows, given to the statement as `$2`, into the business `$1`. */
type Insert = (text: string, rows: readonly object[]) => Promise<unknown>;

/** Chats and users of the business must be there. */
export async function insertShop(insert: Insert, shop: DemoShop): Promise<void> {
  await insert(
    `insert into branches (business_id, id, name, latitude, longitude)
     select $1, id, name, latitude, longitude
     from jsonb_to_recordset($2) as row(id bigint, name text, latitude float, longitude float)`,
    shop.branches,
  );
  await insert(
    `insert into zones (business_id, id, name, price, branch_id)
     select $1, id, name, price, "branchId"
     from jsonb_to_recordset($2) as row(id bigint, name text, price numeric, "branchId" bigint)`,
    shop.zones,
  );
  await insert(
    `insert into articles (business_id, id, name, price, type, retailer_id)
     select $1, id, name, price, type, "retailerId"
     from jsonb_to_recordset($2) as row(id bigint, name text, price numeric, type text, "retailerId" text)`,
    shop.articles,
  );
  await insert(
    `insert into article_extras (business_id, id, name, charge)
     select $1, id, name, charge from jsonb_to_recordset($2) as row(id bigint, name text, charge numeric)`,
    shop.extras,
  );
  await insert(
    `insert into drivers (business_id, id, name, phone, last_latitude, last_longitude, last_located_at)
     select $1, id, name, phone, latitude, longitude, "locatedAt"
     from jsonb_to_recordset($2)
       as row(id bigint, name text, phone text, latitude float, longitude float, "locatedAt" timestamptz)`,
    shop.drivers,
  );
  await insert(
    `with customer as (
       select * from jsonb_to_recordset($2)
         as row(id bigint, "platformId" text, name text, "lastMessageAt" timestamptz)
     ),
     contact as (
       insert into in_app_contacts (business_id, id, platform_id, name) select $1, id, "platformId", name from customer
     )
     insert into in_app_chats (business_id, id, contact_id, last_message_at) select $1, id, id, "lastMessageAt" from customer`,
    shop.appCustomers,
  );
  await insertOrders(insert, shop.orders);
}

async function insertOrders(insert: Insert, orders: readonly DemoOrder[]): Promise<void> {
  await insert(
    `insert into orders (business_id, id, status, type, shipment_method, payment_method, branch_id, zone_id, chat_id,
                         external_user_id, user_id, driver_id, paid, cancel_reason, location_label, raw_address,
                         latitude, longitude, scheduled_at, speedy_price, extra_data, created_at, updated_at)
     select $1, id, status, type, "shipmentMethod", "paymentMethod", "branchId", "zoneId", "chatId", "externalUserId",
            "userId", "driverId", paid, "cancelReason", "locationLabel", "rawAddress", latitude, longitude,
            "scheduledAt", "speedyPrice", "extraData", "createdAt", "updatedAt"
     from jsonb_to_recordset($2) as row(
       id bigint, status int, type text, "shipmentMethod" text, "paymentMethod" text, "branchId" bigint,
       "zoneId" bigint, "chatId" bigint, "externalUserId" text, "userId" bigint, "driverId" bigint, paid boolean,
       "cancelReason" text, "locationLabel" text, "rawAddress" text, latitude float, longitude float,
       "scheduledAt" timestamptz, "speedyPrice" numeric, "extraData" jsonb, "createdAt" timestamptz,
       "updatedAt" timestamptz)`,
    orders.map((order) => ({ ...order, lines: undefined, extraData: extraDataOf(order) })),
  );
  await insert(
    `with given as (
       select * from jsonb_to_recordset($2)
         as row(id bigint, "orderId" bigint, article jsonb, quantity int, type text, extras jsonb)
     ),
     line as (
       insert into order_lines (business_id, id, order_id, article_id, quantity, type, retailer_id)
       select $1, id, "orderId", (article->>'id')::bigint, quantity, type, article->>'retailerId' from given
     )
     insert into line_extras (business_id, line_id, extra_id)
     select $1, id, (extra->>'extraId')::bigint from given, jsonb_array_elements(extras) as extra`,
    orders.flatMap(({ id, lines }) => lines.map((line) => ({ ...line, orderId: id }))),
  );
  await insert(
    `insert into order_discounts (business_id, order_id, kind, amount)
     select $1, "orderId", kind, amount
     from jsonb_to_recordset($2) as row("orderId" bigint, kind text, amount numeric)`,
    orders.flatMap(({ id, discounts }) => discounts.map((discount) => ({ ...discount, orderId: id }))),
  );
}

function extraDataOf({ id, lines }: DemoOrder): object {
  const custom = lines.flatMap(({ id: lineId, extras }) =>
    extras.flatMap(({ extraId, custom }) => (custom ? [[customExtraKey(extraId, lineId), custom] as const] : [])),
  );
  return { version: 1, customExtras: custom.length > 0 ? { [id]: Object.fromEntries(custom) } : {} };
}

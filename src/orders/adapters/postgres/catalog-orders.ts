import type { CustomerOrder, CustomerOrders } from "../../../inbox/public.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { OrderRef } from "../../application/order-events.ts";
import { statusOf } from "../../domain/states.ts";
import { PostgresOrderEvents } from "./order-events.ts";

/** The largest sum that clients can read exactly as a number. */
const mostGoods = `${Number.MAX_SAFE_INTEGER} / 100.0`;

/** SQL for the fields in the first history entry of an order from the catalog. `made` is the row of the order. */
const historyFields = Object.entries({
  status: "to_jsonb(made.status)",
  type: "to_jsonb(made.type)",
  chatId: "to_jsonb(made.chat_id)",
  lines: `(
    select jsonb_agg(jsonb_build_object(
      'id', id, 'articleId', article_id, 'quantity', quantity, 'type', line_type, 'extras', '[]'::jsonb) order by place)
    from lines where business_id = made.business_id and order_id = made.id)`,
  catalogLines: `(
    select jsonb_agg(jsonb_build_object(
      'retailerId', retailer_id, 'articleId', article_id,
      'quantity', coalesce(to_jsonb(quantity), to_jsonb(shown_quantity)), 'shownPrice', price, 'currency', currency)
      order by place)
    from asked where business_id = made.business_id and message_id = made.message_id)`,
})
  .map(([name, became]) => `'${name}', jsonb_build_object('from', null, 'to', ${became})`)
  .join(", ");

/**
 * An order whose goods cost more than `mostGoods` gets no lines, because clients could not read its total exactly.
 * `made` inserts the orders sorted by business: triggers lock each business's counters, and all writers must lock
 * counters in the same order.
 */
const make = statement("catalog_orders_make")`
  with given as materialized (
    select * from rows from (jsonb_to_recordset($1::jsonb) as (
      "businessId" bigint, "chatId" bigint, "messageId" bigint, lines jsonb)) with ordinality
      as given(business_id, chat_id, message_id, lines, place)
  ),
  asked as materialized (
    select given.business_id, given.message_id, line.*, article.id as article_id, article.line_type,
           sum(article.price * line.quantity) over (partition by given.business_id, given.message_id) <= ${mostGoods}
             as fits
    from given
    cross join rows from (jsonb_to_recordset(given.lines) as (
      "retailerId" text, quantity integer, "shownQuantity" text, price text, currency text)) with ordinality
      as line(retailer_id, quantity, shown_quantity, price, currency, place)
    left join lateral (
      select id, price, case when type in ('free_delivery', 'delivery') then 'delivery_coupon' else 'item' end as line_type
      from articles
      where business_id = given.business_id and retailer_id = line.retailer_id and archived_at is null
            and line.quantity is not null offset 0
    ) as article on true
  ),
  made as (
    insert into orders (business_id, status, type, chat_id, message_id)
    select business_id, ${statusOf.pending}, 'wa', chat_id, message_id from given order by business_id, place
    on conflict (business_id, message_id) where message_id is not null do nothing
    returning business_id, id, version, status, type, chat_id, message_id, created_at
  ),
  lines as materialized (
    select nextval('order_lines_id_seq') as id, placed.*
    from (
      select made.business_id, made.id as order_id, asked.place, asked.article_id, asked.retailer_id, asked.quantity,
             asked.line_type
      from made join asked using (business_id, message_id)
      where asked.article_id is not null and asked.fits
      order by made.business_id, made.id, asked.place
    ) as placed
  ),
  added_lines as (
    insert into order_lines (business_id, id, order_id, article_id, quantity, type, retailer_id)
    select business_id, id, order_id, article_id, quantity, line_type, retailer_id from lines
  ),
  counted as (
    insert into commerce_events (business_id, name, order_id, article_id)
    select business_id, 'product_picked', order_id, article_id from lines order by id
  ),
  noted as (
    insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
    select made.business_id, made.id, made.version, 'created', 'contact', chat.contact_id, made.created_at,
           jsonb_build_object(${historyFields})
    from made join chats as chat on chat.business_id = made.business_id and chat.id = made.chat_id
  )
  select business_id as "businessId", id from made order by business_id, id`;

/** The most orders in one statement. An order has at most 100 lines. */
const atATime = 100;

/**
 * Each order is pending, of type `wa` and at the business's own prices. Products not sold by the business or without a
 * readable quantity are only in the order's history. `make` locks the order counters until the transaction ends.
 */
export class PostgresCatalogOrders implements CustomerOrders {
  private readonly events: PostgresOrderEvents;

  constructor(private readonly transaction: Queries) {
    this.events = new PostgresOrderEvents(transaction);
  }

  async make(orders: readonly CustomerOrder[]): Promise<readonly OrderRef[]> {
    const sorted = orders.toSorted((a, b) => a.businessId - b.businessId || a.messageId - b.messageId);
    const made: OrderRef[] = [];
    for (let from = 0; from < sorted.length; from += atATime) {
      const chunk = JSON.stringify(sorted.slice(from, from + atATime));
      made.push(...(await this.transaction.rows<OrderRef>(make, [chunk])));
    }
    return made;
  }

  async announce(made: readonly OrderRef[]): Promise<LoggedEvent[]> {
    const logged: LoggedEvent[] = [];
    for (let from = 0; from < made.length; from += atATime) {
      const orders = await this.events.read(made.slice(from, from + atATime));
      logged.push(...(await this.events.logChanged(orders)));
    }
    return logged;
  }
}

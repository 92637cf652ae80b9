import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import { type LoggedEventRow, loggingEvents, toLoggedEvent } from "../../../infra/postgres/log-events.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { numberOf } from "../../../kernel/money.ts";
import type { Order } from "../../domain/order.ts";
import { totalsOf } from "../../domain/total.ts";
import { type OrderRow, orderColumns, toOrder } from "./order-sql.ts";
import { enqueuingPushes } from "./push-outbox-sql.ts";

const changed: Statement = {
  name: "orders_changed",
  text: `
    select ${orderColumns}
    from unnest($1::bigint[], $2::bigint[]) with ordinality as wanted (business_id, id, position)
    join orders as o on o.business_id = wanted.business_id and o.id = wanted.id
    order by wanted.position`,
};

const logChanged: Statement = {
  name: "orders_log_changed",
  text: `
    with events as (
      select (event ->> 'businessId')::bigint as business_id, position, 'order:changed' as name, event as payload
      from jsonb_array_elements($1::jsonb) with ordinality as each (event, position)
    ),
    ${loggingEvents},
    ${enqueuingPushes}
    select * from logged order by business_id, number`,
};

interface Ref {
  readonly businessId: number;
  readonly id: number;
}

/** What a client needs to draw an order's card again. Amounts are numbers in units of the currency. */
export type OrderCard = ReturnType<typeof cardOf>;

/** Reads orders as they are after a change, and logs `order:changed` for each in the change's own transaction. */
export class PostgresOrderEvents {
  constructor(private readonly transaction: Queries) {}

  /** The orders as they stand now; those that do not exist are left out. */
  async read(refs: readonly Ref[]): Promise<Order[]> {
    const values = [refs.map(({ businessId }) => businessId), refs.map(({ id }) => id)];
    return (await this.transaction.rows<OrderRow>(changed, values)).map(toOrder);
  }

  /** To be published after the commit. Takes the businesses' event counters: the last thing that a transaction does. */
  async logChanged(orders: readonly Order[]): Promise<LoggedEvent[]> {
    const rows = await this.transaction.rows<LoggedEventRow>(logChanged, [JSON.stringify(orders.map(cardOf))]);
    return rows.map(toLoggedEvent);
  }
}

const cardOf = (order: Order) => {
  const { total } = totalsOf(order);
  const { businessId, id, version, status, type, shipmentMethod, paymentMethod, paid, chat, branch, zone, lines } =
    order;
  return {
    businessId,
    id,
    version,
    status,
    type,
    shipmentMethod,
    paymentMethod,
    paid,
    cancelReason: order.cancelReason,
    locationLabel: order.locationLabel,
    rawAddress: order.rawAddress,
    scheduledAt: order.scheduledAt,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    total: numberOf(total),
    discount: numberOf(order.discount),
    branch,
    zone: zone && { id: zone.id, price: numberOf(zone.price), branch: zone.branch },
    chat,
    lines: lines.map((line) => ({
      ...line,
      article: { ...line.article, price: numberOf(line.article.price) },
      extras: line.extras.map(({ id, extra }) => ({ id, extra: { ...extra, charge: numberOf(extra.charge) } })),
    })),
  };
};

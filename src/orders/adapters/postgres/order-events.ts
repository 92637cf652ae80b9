import type { Queries } from "../../../infra/postgres/database.ts";
import { eventColumns, loggingEvents } from "../../../infra/postgres/log-events.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { cardOf, type OrderEvents, type OrderRef } from "../../application/order-events.ts";
import type { Order } from "../../domain/order.ts";
import { pushedTypes } from "../../domain/push.ts";
import { orderFields, shownAsJson, withIsoDates } from "./order-sql.ts";

const changed = statement("orders_changed")`
  ${shownAsJson(
    orderFields(),
    `unnest($1::bigint[], $2::bigint[]) with ordinality as wanted (business_id, id, position)
     join orders as o on o.business_id = wanted.business_id and o.id = wanted.id`,
  )}
  order by wanted.position`;

/** Usually a single order has changed. This statement takes half the time of `changed`. */
const changedOne = statement("orders_changed_one")`
  ${shownAsJson(orderFields(), "orders as o")} where o.business_id = $1 and o.id = $2`;

/**
 * The CTE `waiting`, which puts events for the Pusher-protocol host into the outbox. It needs a CTE
 * `logged(business_id, number, payload)` with events of orders.
 */
const enqueuingPushes = `
  waiting as (
    insert into push_outbox (business_id, number)
    select business_id, number from logged
    where payload ->> 'type' in (${pushedTypes.map((type) => `'${type}'`).join(", ")})
  )`;

const logOne = statement("orders_log_changed_one")`
  with counter as (
    insert into realtime_counters as counter (business_id, last_number) values ($1, 1)
    on conflict (business_id) do update set last_number = counter.last_number + 1
    returning last_number
  ),
  logged as (
    insert into realtime_events (business_id, number, name, payload)
    select $1, last_number, 'order:changed', $2 from counter
    returning business_id, number, payload, at
  ),
  ${enqueuingPushes}
  select number, at from logged`;

const logChanged = statement("orders_log_changed")`
  with events as (
    select (event ->> 'businessId')::bigint as business_id, position, 'order:changed' as name, event as payload
    from jsonb_array_elements($1::jsonb) with ordinality as each (event, position)
  ),
  ${loggingEvents},
  ${enqueuingPushes}
  select ${eventColumns} from logged order by business_id, number`;

/** Reads orders as they are after a change, and logs `order:changed` for each in the change's own transaction. */
export class PostgresOrderEvents implements OrderEvents {
  constructor(private readonly transaction: Queries) {}

  async read(refs: readonly OrderRef[]): Promise<Order[]> {
    const [only, ...others] = refs;
    const rows =
      only && others.length === 0
        ? await this.transaction.rows<{ shown: Order }>(changedOne, [only.businessId, only.id])
        : await this.transaction.rows<{ shown: Order }>(changed, [
            refs.map(({ businessId }) => businessId),
            refs.map(({ id }) => id),
          ]);
    return rows.map(({ shown }) => withIsoDates(shown));
  }

  /** Returns events to publish after the commit. Must be the transaction's last step: it locks event counters. */
  async logChanged(orders: readonly Order[]): Promise<LoggedEvent[]> {
    const [only, ...others] = orders;
    if (only && others.length === 0) return [await this.logOne(only)];
    return this.transaction.rows<LoggedEvent>(logChanged, [JSON.stringify(orders.map(cardOf))]);
  }

  private async logOne(order: Order): Promise<LoggedEvent> {
    const { businessId } = order;
    const payload = cardOf(order);
    const values = [businessId, JSON.stringify(payload)];
    const [row] = await this.transaction.rows<{ number: number; at: Date }>(logOne, values);
    if (!row) throw new Error("logging an event returned no row");
    return { businessId, number: row.number, name: "order:changed", payload, at: row.at };
  }
}

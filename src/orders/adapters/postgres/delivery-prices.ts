import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import type { Queries } from "../../../infra/postgres/database.ts";
import { livesHere } from "../../../infra/postgres/lives-here.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import { decimalOf, type Money } from "../../../kernel/money.ts";
import type { KeptPrices, WantedPrice, WantedPrices } from "../../application/delivery/delivery-prices.ts";
import type { OrderRef } from "../../application/order-events.ts";

/**
 * Triggers add the orders to the queue. A claimed order is due again after 30 seconds, then 2, 8, 32 and 128 minutes,
 * and then every 512 minutes.
 */
const claim = statement("delivery_price_claim")`
  with due as (
    select business_id, order_id, now() + 30 * 4 ^ least(attempts, 5) * interval '1 second' as next_due_at
    from wanted_delivery_prices where due_at <= now() and ${livesHere("business_id")}
    order by due_at, business_id, order_id limit $1
    for update skip locked
  )
  update wanted_delivery_prices as wanted
  set attempts = wanted.attempts + 1, leased_until = now() + make_interval(secs => $2), due_at = due.next_due_at
  from due where wanted.business_id = due.business_id and wanted.order_id = due.order_id
  returning wanted.business_id as "businessId", wanted.order_id as id, wanted.attempts`;

/** Locks the order before its row in `wanted_delivery_prices`, as changes of a delivery do. This prevents deadlocks. */
const keep = statement("delivery_price_keep")`
  with held as (
    select business_id, id, clock_timestamp() as now from orders
    where business_id = $1 and id = $2 and version = $3 and speedy_price is null
    for no key update skip locked
  ),
  priced as (
    update orders as o set speedy_price = $4, version = o.version + 1, updated_at = held.now
    from held where o.business_id = held.business_id and o.id = held.id
    returning o.business_id, o.id
  ),
  answered as (
    delete from wanted_delivery_prices as wanted using priced
    where wanted.business_id = priced.business_id and wanted.order_id = priced.id
  )
  select id from priced`;

/** The order stays in the queue if its delivery changed after the claim, because the change reset `attempts`. */
const drop = statement("delivery_price_drop")`
  delete from wanted_delivery_prices where business_id = $1 and order_id = $2 and attempts = $3`;

/** Locks at most 1,000 rows at once, because changes of a delivery wait while its row is locked. */
const forget = statement("delivery_price_forget")`
  with gone as (
    select business_id, order_id from wanted_delivery_prices where due_at < now() - make_interval(hours => $1)
      and ${livesHere("business_id")}
    order by due_at limit 1000
    for update skip locked
  )
  delete from wanted_delivery_prices as wanted using gone
  where wanted.business_id = gone.business_id and wanted.order_id = gone.order_id
  returning 1`;

export class PostgresDeliveryPrices implements WantedPrices {
  constructor(private readonly cells: Cells) {}

  claim(limit: number, leaseMs: number): Promise<WantedPrice[]> {
    return everywhere(this.cells, (cell) => cell.rows<WantedPrice>(claim, [limit, leaseMs / 1000]));
  }

  async drop({ businessId, id, attempts }: WantedPrice): Promise<void> {
    await this.cells.of(businessId).rows(drop, [businessId, id, attempts]);
  }

  async forget(olderThanHours: number): Promise<void> {
    await this.cells.inEach(async (cell) => {
      while ((await cell.rows(forget, [olderThanHours])).length > 0);
    });
  }
}

export class PostgresKeptPrices implements KeptPrices {
  constructor(private readonly transaction: Queries) {}

  async keep({ businessId, id, version }: OrderRef & { version: number }, price: Money): Promise<boolean> {
    const priced = await this.transaction.rows(keep, [businessId, id, version, decimalOf(price)]);
    return priced.length > 0;
  }
}

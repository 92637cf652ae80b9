import type { Database, Statement } from "../../../infra/postgres/database.ts";
import { decimalOf, type Money } from "../../../kernel/money.ts";
import type { KeptPrice, PriceStore } from "../../application/delivery/delivery-prices.ts";
import { PostgresOrderEvents } from "./order-events.ts";

/** Whoever holds the order is changing it: then the price may be another one, and nobody who reads waits for them. */
const keep: Statement = {
  name: "delivery_price_keep",
  text: `
    with held as (
      select business_id, id from orders
      where business_id = $1 and id = $2 and version = $3 and speedy_price is null
      for no key update skip locked
    )
    update orders as o set speedy_price = $4, version = o.version + 1, updated_at = clock_timestamp()
    from held where o.business_id = held.business_id and o.id = held.id
    returning o.version`,
};

export class PostgresDeliveryPrices implements PriceStore {
  constructor(private readonly database: Database) {}

  keep(businessId: number, id: number, version: number, price: Money): Promise<KeptPrice | null> {
    return this.database.transaction(async (transaction) => {
      const kept = await transaction.rows(keep, [businessId, id, version, decimalOf(price)]);
      if (kept.length === 0) return null;
      const orderEvents = new PostgresOrderEvents(transaction);
      const [order] = await orderEvents.read([{ businessId, id }]);
      if (!order) throw new Error(`order ${id} is held and there`);
      return { version: order.version, updatedAt: order.updatedAt, events: await orderEvents.logChanged([order]) };
    });
  }
}

import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { PostgresAbandonedOrders, PostgresInactivity } from "../orders/adapters/postgres/abandoned-orders.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { CancelInactive } from "../orders/public.ts";
import { moduleOf } from "./provide.ts";

export const inactivityModule = moduleOf(({ provide, provideTick }) => {
  provide("cancelInactive", ["slowCells", "feed", "log"], (cells, feed, log) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      abandoned: new PostgresInactivity(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const complaints = new OccasionalLog(log);
    return new CancelInactive(new PostgresAbandonedOrders(cells), unitOfWork, feed, (err, { businessId, ids }) => {
      const [orderId] = ids;
      if (ids.length === 1) complaints.error({ err, businessId, orderId }, "an order could not be cancelled");
      else complaints.warn({ err, businessId, orders: ids.length }, "a batch of orders could not be cancelled");
    });
  });
  provideTick("orders.cancel-inactive", 60, ["cancelInactive", "log"], async (cancelInactive, log, signal) => {
    const cancelled = await cancelInactive.execute(signal);
    if (cancelled.orders > 0) log.info({ ...cancelled }, "orders were cancelled because their customers were inactive");
  });
});

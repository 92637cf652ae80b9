import { ContainerModule } from "inversify";
import { tick } from "../infra/jobs/clock.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { PostgresAbandonedOrders, PostgresInactivity } from "../orders/adapters/postgres/abandoned-orders.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { CancelInactive } from "../orders/public.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds for which the same complaint is not repeated. */
const silenceMs = 60_000;

export const inactivityModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.cancelInactive, [tokens.slowCells, tokens.feed, tokens.log], (cells, feed, log) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      abandoned: new PostgresInactivity(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const complaints = new OccasionalLog(log, silenceMs);
    return new CancelInactive(new PostgresAbandonedOrders(cells), unitOfWork, feed, (err, { businessId, ids }) => {
      const [orderId] = ids;
      if (ids.length === 1) complaints.error({ err, businessId, orderId }, "an order was not cancelled");
      else complaints.warn({ err, businessId, orders: ids.length }, "orders were not cancelled together");
    });
  });
  provide(bind, tokens.tick, [tokens.cancelInactive, tokens.log], (cancelInactive, log) =>
    tick("orders.cancel-inactive", 60, async (signal) => {
      const cancelled = await cancelInactive.execute(signal);
      if (cancelled.orders > 0) log.info({ ...cancelled }, "orders were cancelled whose customers fell silent");
    }),
  );
});

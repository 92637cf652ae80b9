import { ContainerModule } from "inversify";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { PostgresAbandonedOrders } from "../orders/adapters/postgres/abandoned-orders.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { CancelInactive } from "../orders/application/cancel-inactive.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const inactivityModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.cancelInactive, [tokens.database, tokens.feed], (database, feed) => {
    const unitOfWork = new PostgresUnitOfWork(database, (transaction) => ({
      abandoned: new PostgresAbandonedOrders(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    return new CancelInactive(unitOfWork, feed);
  });
  provide(bind, tokens.tick, [tokens.cancelInactive, tokens.log], (cancelInactive, log) => ({
    name: "orders.cancel-inactive",
    everySeconds: 60,
    run: async (signal) => {
      const cancelled = await cancelInactive.execute(signal);
      if (cancelled.orders > 0) log.info({ ...cancelled }, "orders were cancelled whose customers fell silent");
    },
  }));
});

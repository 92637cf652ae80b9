import { ContainerModule } from "inversify";
import type { Database } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { orderHistoryRoute } from "../orders/adapters/http/order-history.route.ts";
import { addLineRoute, removeLineRoute } from "../orders/adapters/http/order-lines.routes.ts";
import { updateOrderRoute } from "../orders/adapters/http/update-order.route.ts";
import { PostgresOrderEdits } from "../orders/adapters/postgres/order-edits.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { PostgresOrderHistory } from "../orders/adapters/postgres/order-history.ts";
import { AddLine } from "../orders/application/edits/add-line.ts";
import type { OrderEditStores } from "../orders/application/edits/ports.ts";
import { RemoveLine } from "../orders/application/edits/remove-line.ts";
import { UpdateOrder } from "../orders/application/edits/update-order.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const ordersEditModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.routes, [tokens.database, tokens.feed], (database, feed) => {
    const unitOfWork = editUnitOfWork(database);
    return [
      updateOrderRoute(new UpdateOrder(unitOfWork, feed)),
      addLineRoute(new AddLine(unitOfWork, feed)),
      removeLineRoute(new RemoveLine(unitOfWork, feed)),
      orderHistoryRoute(new PostgresOrderHistory(database)),
    ];
  });
});

const editUnitOfWork = (database: Database) =>
  new PostgresUnitOfWork(
    database,
    (transaction): OrderEditStores => ({
      edits: new PostgresOrderEdits(transaction),
      events: new PostgresOrderEvents(transaction),
    }),
  );

import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import { PostgresZones } from "../infra/postgres/business-zones.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { orderBoardRoutes } from "../orders/adapters/http/order-board.routes.ts";
import { orderHistoryRoute } from "../orders/adapters/http/order-history.route.ts";
import { addLineRoute, removeLineRoute } from "../orders/adapters/http/order-lines.routes.ts";
import { updateOrderRoute } from "../orders/adapters/http/update-order.route.ts";
import { PostgresDeliveryPrices, PostgresKeptPrices } from "../orders/adapters/postgres/delivery-prices.ts";
import { PostgresOrderBoard } from "../orders/adapters/postgres/order-board.ts";
import { PostgresOrderEdits } from "../orders/adapters/postgres/order-edits.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { PostgresOrderHistory } from "../orders/adapters/postgres/order-history.ts";
import { PostgresOrderReads } from "../orders/adapters/postgres/order-reads.ts";
import { AskDeliveryPrices, EditOrders, OrderBoard } from "../orders/public.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds within which the same trouble is logged once. */
const silenceMs = 60_000;
/** Hours after which a wanted price is dropped where no integration is set: time to set it in all processes. */
const unaskedHours = 1;

export const ordersEditModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.feed, tokens.deliveryPricing, tokens.priceLoop],
    (cells, feed, pricing, prices) => {
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        board: new PostgresOrderBoard(transaction),
        edits: new PostgresOrderEdits(transaction),
        events: new PostgresOrderEvents(transaction),
      }));
      const onPriceWanted = () => pricing && prices.nudge();
      const zones = new PostgresZones(cells);
      const orders = new EditOrders(unitOfWork, feed, onPriceWanted, zones);
      return [
        updateOrderRoute(orders),
        addLineRoute(orders),
        removeLineRoute(orders),
        ...orderBoardRoutes(new OrderBoard(unitOfWork, feed, onPriceWanted, zones)),
        orderHistoryRoute(new PostgresOrderHistory(cells)),
      ];
    },
  );
  provide(
    bind,
    tokens.priceLoop,
    [tokens.cells, tokens.deliveryPricing, tokens.feed, tokens.log],
    (cells, pricing, feed, log) => {
      const complaints = new OccasionalLog(log, silenceMs);
      const onFailure = (err: unknown) => complaints.error({ err }, "the price of a delivery was not asked or kept");
      const wanted = new PostgresDeliveryPrices(cells);
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        prices: new PostgresKeptPrices(transaction),
        events: new PostgresOrderEvents(transaction),
      }));
      const orders = new PostgresOrderReads(cells);
      const asking = pricing && new AskDeliveryPrices(pricing, orders, wanted, unitOfWork, feed, onFailure);
      return new NudgedLoop(
        async (signal) => (asking ? asking.execute(signal) : wanted.forget(unaskedHours)),
        onFailure,
      );
    },
  );
  provide(bind, tokens.background, [tokens.priceLoop], (loop) =>
    background("delivery prices", "work", { start: () => loop.nudge(), stop: () => loop.stop() }),
  );
  provide(bind, tokens.tick, [tokens.priceLoop], (loop) => tick("orders.ask-prices", 10, () => loop.nudge()));
});

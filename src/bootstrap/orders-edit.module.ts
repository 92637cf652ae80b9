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
import { moduleOf } from "./provide.ts";

/** Hours until a wanted price is dropped if no pricing service is configured: time to configure it in all processes. */
const unaskedHours = 1;

export const ordersEditModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("routes", ["cells", "feed", "deliveryPricing", "priceLoop"], (cells, feed, pricing, prices) => {
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
  });
  provide("priceLoop", ["cells", "deliveryPricing", "feed", "log"], (cells, pricing, feed, log) => {
    const complaints = new OccasionalLog(log);
    const onFailure = (err: unknown) =>
      complaints.error({ err }, "the price of a delivery could not be requested or stored");
    const wanted = new PostgresDeliveryPrices(cells);
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      prices: new PostgresKeptPrices(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const orders = new PostgresOrderReads(cells);
    const asking = pricing && new AskDeliveryPrices(pricing, orders, wanted, unitOfWork, feed, onFailure);
    return new NudgedLoop(async (signal) => (asking ? asking.execute(signal) : wanted.forget(unaskedHours)), onFailure);
  });
  provideBackground("delivery prices", "work", ["priceLoop"], (loop) => ({
    start: () => loop.nudge(),
    stop: () => loop.stop(),
  }));
  provideTick("orders.ask-prices", 10, ["priceLoop"], (loop) => loop.nudge());
});

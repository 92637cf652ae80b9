import { PostgresZones } from "../infra/postgres/business-zones.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { onTheWire } from "../infra/realtime/wire.ts";
import type { Log } from "../kernel/log.ts";
import { NudgedLoop } from "../kernel/nudged-loop.ts";
import { OccasionalLog } from "../kernel/occasional-log.ts";
import { cancelledOrdersRoute } from "../orders/adapters/http/cancelled-orders.route.ts";
import { getOrderRoute } from "../orders/adapters/http/get-order.route.ts";
import { listOrdersRoutes } from "../orders/adapters/http/list-orders.routes.ts";
import { orderBoardRoutes } from "../orders/adapters/http/order-board.routes.ts";
import { orderHistoryRoute } from "../orders/adapters/http/order-history.route.ts";
import { addLineRoute, removeLineRoute } from "../orders/adapters/http/order-lines.routes.ts";
import { orderOfMessageRoute } from "../orders/adapters/http/order-of-message.route.ts";
import { paymentLinkRoutes } from "../orders/adapters/http/payment-link.routes.ts";
import { pusherAuthRoute } from "../orders/adapters/http/pusher-auth.route.ts";
import { updateOrderRoute } from "../orders/adapters/http/update-order.route.ts";
import { HttpDeliveryPricing } from "../orders/adapters/http-client/delivery-pricing.ts";
import { HttpDriverTracking } from "../orders/adapters/http-client/driver-tracking.ts";
import { PostgresAbandonedOrders, PostgresInactivity } from "../orders/adapters/postgres/abandoned-orders.ts";
import { PostgresDeliveryPrices, PostgresKeptPrices } from "../orders/adapters/postgres/delivery-prices.ts";
import { PostgresOrderBoard } from "../orders/adapters/postgres/order-board.ts";
import { PostgresOrderEdits } from "../orders/adapters/postgres/order-edits.ts";
import { PostgresOrderEvents } from "../orders/adapters/postgres/order-events.ts";
import { PostgresOrderHistory } from "../orders/adapters/postgres/order-history.ts";
import { PostgresOrderLists } from "../orders/adapters/postgres/order-lists.ts";
import { PostgresOrderReads } from "../orders/adapters/postgres/order-reads.ts";
import { PostgresLinkRenewals, PostgresPaymentLinks } from "../orders/adapters/postgres/payment-links.ts";
import { PostgresPushOutbox } from "../orders/adapters/postgres/push-outbox.ts";
import { PusherHost } from "../orders/adapters/pusher/pusher-host.ts";
import { fitting, pusherChannelOf } from "../orders/adapters/realtime/pusher-channel.ts";
import { orderEvents } from "../orders/adapters/wire/order-wire.ts";
import {
  AskDeliveryPrices,
  CancelInactive,
  EditOrders,
  GetOrder,
  ListOrders,
  OrderBoard,
  OrdersOfChat,
  PushOrderEvents,
  SendPaymentLink,
} from "../orders/public.ts";
import { moduleOf } from "./provide.ts";

/**
 * Hours for which a process keeps requests for delivery prices, and events for Pusher, if the service for them is not
 * configured. In this time an operator can configure the service in all processes.
 */
const unservedHours = 1;

const unpushed = "no Pusher host is configured: changes of orders of type app or web go to the Socket.IO namespace";
/** Wakes the processes that push orders. */
const ordersToPush = "orders_to_push";

export const ordersModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide("routes", ({ cells, feed, deliveryPricing, priceLoop }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      board: new PostgresOrderBoard(transaction),
      edits: new PostgresOrderEdits(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const onPriceWanted = () => deliveryPricing && priceLoop.nudge();
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
  provide("priceLoop", ({ cells, deliveryPricing, feed, log }) => {
    const complaints = new OccasionalLog(log);
    const onFailure = (err: unknown) =>
      complaints.error({ err }, "the price of a delivery could not be requested or stored");
    const wanted = new PostgresDeliveryPrices(cells);
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      prices: new PostgresKeptPrices(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const orders = new PostgresOrderReads(cells);
    const asking =
      deliveryPricing && new AskDeliveryPrices(deliveryPricing, orders, wanted, unitOfWork, feed, onFailure);
    return new NudgedLoop(
      async (signal) => (asking ? asking.execute(signal) : wanted.forget(unservedHours)),
      onFailure,
    );
  });
  provideBackground("delivery prices", "work", ({ priceLoop }) => ({
    start: () => priceLoop.nudge(),
    stop: () => priceLoop.stop(),
  }));
  provideTick("orders.ask-prices", 10, ({ priceLoop }) => priceLoop.nudge());

  provide("ordersOfChat", ({ cells }) => new OrdersOfChat(new PostgresOrderLists(cells)));
  provide("routes", ({ cells, driverTracking, log }) => {
    const reads = new PostgresOrderReads(cells);
    const getOrder = new GetOrder(reads, driverTracking, (error) =>
      log.warn({ err: error }, "an order is shown without the location of its driver"),
    );
    const listOrders = new ListOrders(new PostgresOrderLists(cells), new PostgresZones(cells));
    const ofOne = [getOrderRoute(getOrder), orderOfMessageRoute(reads)];
    return [...ofOne, ...listOrdersRoutes(listOrders, getOrder), cancelledOrdersRoute(listOrders)];
  });

  provide("deliveryPricing", ({ httpClient, config: { integrations }, log }) => {
    const { deliveryPricingUrl: baseUrl, timeoutMs } = integrations;
    if (baseUrl === "") return null;
    const onFailure = warningOf(log, "the delivery pricing service gave no price");
    return new HttpDeliveryPricing({ client: httpClient, baseUrl, timeoutMs, onFailure });
  });
  provide("driverTracking", ({ httpClient, config: { integrations }, log }) => {
    const { driverTrackingUrl: baseUrl, timeoutMs } = integrations;
    if (baseUrl === "") return { locate: async () => null };
    const onFailure = warningOf(log, "the driver tracking service gave no location");
    return new HttpDriverTracking({ client: httpClient, baseUrl, timeoutMs, onFailure });
  });
  provide("pusherHost", ({ config: { pusher }, log }) => {
    if (pusher.host === "") return null;
    const warn = warningOf(log, "the Pusher host did not accept an event; it is tried again");
    const toWire = onTheWire(({ payload }) => orderEvents["order:changed"](payload as never), log);
    return new PusherHost({
      ...pusher,
      channelOf: pusherChannelOf,
      serialize: (event, limit) => {
        const wire = toWire(event);
        if (wire?.name !== event.name) throw new Error(`event ${event.number} cannot be put on the wire`);
        return fitting(wire.payload, limit);
      },
      onFailure: (reason, givenUp) =>
        givenUp ? log.error({ reason }, "pushing an order's change was given up") : warn(reason),
    });
  });
  provide("pushOutbox", ({ cells }) => new PostgresPushOutbox(cells));
  provide("pushLoop", ({ pushOutbox, pusherHost, log }) => {
    const push = pusherHost && new PushOrderEvents(pushOutbox, pusherHost);
    return new NudgedLoop(
      async (signal) => push?.execute(signal),
      (error) => log.error({ err: error }, "changes of orders could not be pushed"),
    );
  });
  provideBackground("pushing of orders", "intake", ({ pushLoop, pusherHost, notifications, log }) => {
    if (pusherHost) notifications.onWork(ordersToPush, () => pushLoop.nudge());
    return {
      start: () => void (pusherHost || log.info({}, unpushed)),
      stop: () => pushLoop.stop(),
    };
  });
  provideBackground("Pusher host", "means", ({ pusherHost }) => ({ stop: () => pusherHost?.close() }));
  provideTick(
    "orders.push",
    5,
    async ({ pusherHost, notifications }) => pusherHost && notifications.notify(ordersToPush),
  );
  provideTick(
    "orders.forget-unpushed",
    600,
    ({ pushOutbox, pusherHost }) => pusherHost ?? pushOutbox.forget(unservedHours),
  );

  provide("routes", ({ cells, feed, businessMessages, log }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      links: new PostgresLinkRenewals(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const send = new SendPaymentLink(new PostgresPaymentLinks(cells), unitOfWork, feed, (error) =>
      log.error({ err: error }, "a payment link could not be counted in the statistics"),
    );
    return paymentLinkRoutes(send, businessMessages);
  });
  provide("routes", ({ pusherHost }) => [pusherAuthRoute(pusherHost, pusherChannelOf)]);

  provide("cancelInactive", ({ slowCells, feed, log }) => {
    const unitOfWork = new PostgresUnitOfWork(slowCells, (transaction) => ({
      abandoned: new PostgresInactivity(transaction),
      events: new PostgresOrderEvents(transaction),
    }));
    const complaints = new OccasionalLog(log);
    return new CancelInactive(new PostgresAbandonedOrders(slowCells), unitOfWork, feed, (err, { businessId, ids }) => {
      const [orderId] = ids;
      if (ids.length === 1) complaints.error({ err, businessId, orderId }, "an order could not be cancelled");
      else complaints.warn({ err, businessId, orders: ids.length }, "a batch of orders could not be cancelled");
    });
  });
  provideTick("orders.cancel-inactive", 60, async ({ cancelInactive, log }, signal) => {
    const cancelled = await cancelInactive.execute(signal);
    if (cancelled.orders > 0) log.info({ ...cancelled }, "orders were cancelled because their customers were inactive");
  });
});

function warningOf(log: Log, message: string): (reason: string) => void {
  const warnings = new OccasionalLog(log);
  return (reason) => warnings.warn({ reason }, message);
}

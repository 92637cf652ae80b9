import { PostgresZones } from "../infra/postgres/business-zones.ts";
import { cancelledOrdersRoute } from "../orders/adapters/http/cancelled-orders.route.ts";
import { getOrderRoute } from "../orders/adapters/http/get-order.route.ts";
import { listOrdersRoutes } from "../orders/adapters/http/list-orders.routes.ts";
import { orderOfMessageRoute } from "../orders/adapters/http/order-of-message.route.ts";
import { PostgresOrderLists } from "../orders/adapters/postgres/order-lists.ts";
import { PostgresOrderReads } from "../orders/adapters/postgres/order-reads.ts";
import { GetOrder, ListOrders, OrdersOfChat } from "../orders/public.ts";
import { moduleOf } from "./provide.ts";

export const ordersReadModule = moduleOf(({ provide }) => {
  provide("ordersOfChat", ["cells"], (cells) => new OrdersOfChat(new PostgresOrderLists(cells)));
  provide("routes", ["cells", "driverTracking", "log"], (cells, tracking, log) => {
    const reads = new PostgresOrderReads(cells);
    const getOrder = new GetOrder(reads, tracking, (error) =>
      log.warn({ err: error }, "an order is shown without the location of its driver"),
    );
    const listOrders = new ListOrders(new PostgresOrderLists(cells), new PostgresZones(cells));
    const ofOne = [getOrderRoute(getOrder), orderOfMessageRoute(reads)];
    return [...ofOne, ...listOrdersRoutes(listOrders, getOrder), cancelledOrdersRoute(listOrders)];
  });
});

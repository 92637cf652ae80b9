import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { numericIdOf, objectWith, problem } from "../../../infra/http/routing/schema.ts";
import type { GetOrder, OrderWithTracker } from "../../application/reads/get-order.ts";
import type { OrderNotFound } from "../../domain/failures.ts";
import { orderToWire } from "../wire/order-wire.ts";
import { etagHeader, etagOf } from "./order-edit.ts";
import { orderSchema } from "./order-schemas.ts";

export const orderAnswer = objectWith({ data: orderSchema });

const dialect: Dialect<InvalidInput | OrderNotFound> = {
  invalid_input: (error) => [400, { message: error.message }],
  order_not_found: () => [500, { message: "Internal server error" }],
  unexpected: () => [500, { message: "Internal server error" }],
};

/** §12 Get an order. */
export const getOrderRoute = (getOrder: GetOrder): Route =>
  defineRoute({
    method: "get",
    path: "/catalogs/order/:orderId",
    operationId: "getOrder",
    tag: "Orders",
    summary: "Show an order with its lines, its cost and the location of its driver",
    rules: {
      "§12.1": "The answer includes its chat and contact, zone, business, user, branch and driver.",
      "§12.2": "`details` are its lines, each with its article and its extras.",
      "§12.3":
        "`total` is the sum of the lines with their extras, plus shipping, less `discount`; never below 0. Custom prices in " +
        "`extra_data` replace the extras' charges. Shipping is 0 for `pickup` and with a `delivery_coupon` line.",
      "§12.4": "`discount` is the sum of the discounts by coupon, reward, reward points and claimed points.",
      "§12.5":
        "`speedy_delivery_price` is the delivery-pricing integration's price for a `delivery`; it replaces the zone's price. " +
        "It is requested in the background when an open order is created or its delivery changes, never by a read. When it " +
        "arrives, the order gets a new version and clients get `order:changed`. Until then, and if the integration has no " +
        "price, the field is null and the zone's price counts. Without an answer the request is repeated for about three " +
        "hours. Nothing is requested or shown if there is no shipping to pay.",
      "§12.6": "`tax_id_label` is the business's own, or NIT.",
      "§12.7":
        "`tracker` is present if the order has a driver whose location is known: from the tracking integration, else the " +
        "last known one.",
      "§12.8": "`in_app_chat` is present if `external_user_id` is the `platform_id` of an in-app contact with a chat.",
      "§12.9": "A missing order, and one of another business, is answered like an unexpected failure.",
      "§12.10":
        "`ETag` is the version, which counts the order's own changes. `If-Match` with it keeps an edit from overwriting " +
        "later changes.",
    },
    auth: "key-or-token",
    params: objectWith({ orderId: numericIdOf("order") }),
    responses: {
      200: { description: "The order", schema: orderAnswer, headers: etagHeader },
      400: { description: "The id is malformed", schema: problem },
      500: { description: "No such order, or an unexpected failure", schema: problem },
    },
    dialect,
    handle: async ({ params: { orderId }, caller }) =>
      shownOrder(200, await getOrder.execute(caller.businessId, orderId)),
  });

/** The `ETag` is the order's version. There is no 304, because the driver's location is not part of the version. */
export const shownOrder = (status: number, shown: OrderWithTracker): Reply =>
  new Reply(status, { data: orderToWire(shown) }, etagOf(shown.order));

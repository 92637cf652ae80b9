import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  integer,
  named,
  nullableInteger,
  nullableText,
  numericIdOf,
  objectWith,
  problem,
  type Schema,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import type { OrderHistory } from "../../application/reads/ports.ts";
import type { OrderChange } from "../../domain/change.ts";
import { OrderNotFound } from "../../domain/failures.ts";
import { hasNextPage, pageOf, paging, readingOrder } from "./lists.ts";

const query = { type: "object", properties: paging(20) } as const satisfies Schema;

const change = named(
  "OrderChange",
  objectWith({
    id: integer,
    version: integer,
    action: text,
    actor: objectWith({ type: { enum: ["key", "user", "bot", "contact"] }, id: nullableInteger, name: nullableText }),
    changes: { type: "object" },
    at: timestamp,
  }),
);

export const orderHistoryRoute = (history: OrderHistory): Route =>
  defineRoute({
    ...readingOrder,
    path: "/catalogs/order/:orderId/history",
    operationId: "getOrderHistory",
    summary: "List the changes of an order and their authors, newest first",
    rules: {
      "History.1":
        "One entry for each change, with the version that it made. `actor` is the App Key (with its label), the user or the " +
        "contact who ordered from a catalog (with the name), or the bot. A version without an entry was made by the " +
        "delivery-pricing integration's price.",
      "History.2":
        "`changes` has the value before (`from`) and after (`to`) of each field. `detail` is a product that was added " +
        "(from null) or removed (to null); `details` are the products of a new order.",
      "History.3":
        "An order from a customer's catalog message is of type `wa` and has the business's own prices. `catalog_details` has " +
        "all products as the customer saw them, with `shown_price` and `currency`. If the business has no product with that " +
        "`retailer_id`, or the quantity cannot be read, `articulo_id` is null and the order has no line for it. A quantity " +
        "that cannot be read is kept as text.",
    },
    params: objectWith({ orderId: numericIdOf("order") }),
    query,
    responses: {
      200: {
        description: "A page of changes",
        schema: objectWith({
          data: { type: "array", items: change },
          total: integer,
          page: integer,
          limit: integer,
          hasNextPage: { type: "boolean" },
        }),
      },
      400: { description: "A parameter is wrong", schema: problem },
      404: { description: "No such order", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    handle: async ({ params: { orderId }, query, caller }) => {
      const asked = pageOf(query);
      const { page, limit } = asked;
      const found = await history.list(caller.businessId, orderId, asked);
      if (!found) throw new OrderNotFound(`order ${orderId}`);
      const { total, items } = found;
      return { data: items.map(toWire), total, page, limit, hasNextPage: hasNextPage(asked, total) };
    },
  });

const toWire = ({ id, version, action, actor, changes, at }: OrderChange) => ({
  id,
  version,
  action,
  actor: { type: actor.kind, id: actor.id, name: actor.name },
  changes: renamed(changes),
  at: at.toISOString(),
});

/** The names of fields on the wire. All other fields are called the same in the history and on the wire. */
const fieldNames: Readonly<Record<string, string>> = {
  shipmentMethod: "shipment_method",
  paymentMethod: "payment_method",
  branchId: "sucursal_id",
  locationLabel: "location_picked",
  rawAddress: "raw_adress",
  scheduledAt: "schedule_at",
  latitude: "lat",
  longitude: "lng",
  zoneId: "zone_id",
  speedyPrice: "speedy_delivery_price",
  cancelReason: "cancel_reason",
  paymentExpiresAt: "paidExpire",
  driverId: "driver_id",
  userId: "user_id",
  chatId: "chat_id",
  line: "detail",
  lines: "details",
  catalogLines: "catalog_details",
  retailerId: "retailer_id",
  shownPrice: "shown_price",
  articleId: "articulo_id",
  extraId: "extra_id",
  price: "customPrice",
};

const isoDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

/**
 * Gives fields at any depth their wire names. The history has dates with the database's offset and microseconds; these
 * become ISO 8601 in UTC with milliseconds.
 */
function renamed(value: unknown, of = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        Object.hasOwn(fieldNames, name) ? fieldNames[name] : name,
        renamed(each, name === "from" || name === "to" ? of : name),
      ]),
    );
  }
  return typeof value === "string" && /At$/.test(of) && isoDate.test(value) ? new Date(value).toISOString() : value;
}

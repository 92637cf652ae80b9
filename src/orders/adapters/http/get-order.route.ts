import type { Dialect, InvalidInput } from "../../../infra/http/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/route.ts";
import { numericIdOf, problem, type Schema } from "../../../infra/http/schema.ts";
import type { GetOrder } from "../../application/get-order.ts";
import type { OrderNotFound } from "../../domain/reading.ts";
import { orderSchema, orderToWire } from "./order-wire.ts";

export const orderAnswer = {
  type: "object",
  required: ["data"],
  properties: { data: orderSchema },
} as const satisfies Schema;

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
    summary: "Show an order with its lines, what it costs and where it is",
    rules: [
      ["§12.1", "With it come its chat and contact, zone, business, user, branch and driver."],
      ["§12.2", "`details` are its lines, each with its article and its extras."],
      [
        "§12.3",
        "`total` is lines with extras, by the custom prices in `extra_data` where there are such, plus shipping, less " +
          "`discount`; never below 0. Shipping is 0 for `pickup` and beside a `delivery_coupon` line.",
      ],
      ["§12.4", "`discount` is the sum of the discounts by coupon, reward, reward points and claimed points."],
      [
        "§12.5",
        "`speedy_delivery_price` is what the delivery-pricing integration asks for a `delivery`, in place of the " +
          "zone's price. It is asked once and kept; without an answer the field is null and the zone's price counts.",
      ],
      ["§12.6", "`tax_id_label` is the business's own, or NIT."],
      [
        "§12.7",
        "`tracker` is there when the order has a driver whose location is known: by the tracking integration, else " +
          "the last one.",
      ],
      [
        "§12.8",
        "`in_app_chat` is there when `external_user_id` is the `platform_id` of an in-app contact with a chat.",
      ],
      ["§12.9", "A missing order is answered as an unexpected failure; so is another business's."],
      [
        "§12.10",
        "`ETag` is the version, which counts the order's own changes; a request with it in `If-None-Match` gets 304.",
      ],
    ],
    auth: "app-key",
    params: { type: "object", required: ["orderId"], properties: { orderId: numericIdOf("order") } } as const,
    responses: {
      200: {
        description: "The order",
        schema: orderAnswer,
        headers: { ETag: '`"v<version>"` of the order' },
      },
      304: { description: "The order still has the version of `If-None-Match`" },
      400: { description: "The id is no id", schema: problem },
      500: { description: "No such order, or an unexpected failure", schema: problem },
    },
    dialect,
    handle: async ({ params: { orderId }, caller, headers }) => {
      return await versioned(getOrder, caller.businessId, orderId, headers["if-none-match"]);
    },
  });

/** The order with its version as `ETag`, or 304 to whoever has that version. */
export async function versioned(
  getOrder: GetOrder,
  businessId: number,
  orderId: number,
  ifNoneMatch: string | undefined,
): Promise<Reply> {
  let version = 0;
  const shown = await getOrder.execute(businessId, orderId, (current) => {
    version = current;
    return isNamed(ifNoneMatch, current);
  });
  const headers = { ETag: `"v${version}"` };
  return shown ? new Reply(200, { data: orderToWire(shown) }, headers) : new Reply(304, null, headers, "json");
}

/** A proxy that compresses marks the tag as weak. */
function isNamed(ifNoneMatch: string | undefined, version: number): boolean {
  const known = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(`"v${version}"`) || known.includes("*");
}

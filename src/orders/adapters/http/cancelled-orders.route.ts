import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { integer, keyRefused, numericIdOf, objectWith, type Schema, text } from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { ListOrders } from "../../application/reads/list-orders.ts";
import type { WrongPeriod } from "../../domain/failures.ts";
import { cancelledToWire } from "../wire/order-wire.ts";
import { hasNextPage, pageOf, paging, periodMessage } from "./lists.ts";
import { cancelledOrderSchema } from "./order-schemas.ts";

const boolean = { type: "boolean" } as const;
const bound = { type: "string", minLength: 1, maxLength: 40, example: "2026-01-31" } as const;

const failure = {
  type: "object",
  required: ["success", "message"],
  properties: { success: { const: false }, message: text, error: text },
} as const satisfies Schema;

const dialect: Dialect<InvalidInput | BusinessNotFound | WrongPeriod> = {
  invalid_input: (error) => [400, { success: false, message: error.message }],
  wrong_period: (error) => [400, { success: false, message: periodMessage(error, "startDate", "endDate") }],
  business_not_found: () => [401, { message: "Invalid API key" }],
  unexpected: () => [
    500,
    { success: false, message: "Hubo un error en el servidor", error: "No se pudieron obtener las órdenes" },
  ],
};

/** §14 List cancelled orders. */
export const cancelledOrdersRoute = (orders: ListOrders): Route =>
  defineRoute({
    method: "get",
    path: "/estadisticas/obtener/ordersCanceled/:empresa_id",
    operationId: "listCancelledOrders",
    tag: "Orders",
    summary: "List the cancelled orders of a period, newest first",
    rules: {
      "§14.1": "Only orders with the status 5, created from `startDate` to `endDate`, both inclusive.",
      "§14.2": "`endDate` without a time means the end of that day. Dates without a zone are in the business's.",
      "§14.3":
        "`cancelReason` keeps the orders whose reason contains it, in upper or lower case; `inactividad` finds those that " +
        "the bot cancelled.",
      "§14.4": "`type` keeps the orders of that channel. An empty parameter is refused.",
      "§14.5": "Each order is its full record with chat and contact, without lines and without a total.",
      "§14.6": "`totalCount` counts all matches of all pages. A page has 10 orders by default.",
      "§14.7": "Without matches `data` is empty, `totalPages` and `totalCount` are 0.",
    },
    auth: "key-or-token",
    params: objectWith({ empresa_id: numericIdOf("business") }),
    ownBusiness: "params.empresa_id",
    query: {
      type: "object",
      required: ["startDate", "endDate"],
      properties: {
        startDate: bound,
        endDate: bound,
        type: { type: "string", minLength: 1, maxLength: 100 },
        cancelReason: { type: "string", minLength: 1, maxLength: 500 },
        ...paging(10),
      },
    } as const,
    responses: {
      200: {
        description: "A page of cancelled orders",
        schema: objectWith({
          success: { const: true },
          data: { type: "array", items: cancelledOrderSchema },
          pagination: objectWith({
            currentPage: integer,
            totalPages: integer,
            totalCount: integer,
            limit: integer,
            hasNextPage: boolean,
            hasPrevPage: boolean,
          }),
        }),
      },
      400: { description: "A parameter is missing or wrong", schema: failure },
      401: { description: "No such key, or one of another business", schema: keyRefused },
      500: { description: "Unexpected failure", schema: failure },
    },
    dialect,
    lane: "longReads",
    cost: 2,
    handle: async ({ query, caller, signal }) => {
      const { startDate: from, endDate: to, type = null, cancelReason: reason = null } = query;
      const asked = pageOf(query, signal);
      const { page, limit } = asked;
      const { items, total } = await orders.cancelled(caller.businessId, { from, to, type, reason }, asked);
      return {
        success: true,
        data: items.map(cancelledToWire),
        pagination: {
          currentPage: page,
          totalPages: Math.ceil(total / limit),
          totalCount: total,
          limit,
          hasNextPage: hasNextPage(asked, total),
          hasPrevPage: page > 1 && total > 0,
        },
      };
    },
  });

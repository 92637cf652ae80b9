import { heldTo } from "../../../infra/http/routing/caller.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { integer, numericIdOf, objectWith, problem } from "../../../infra/http/routing/schema.ts";
import type { MessageOrders } from "../../application/reads/ports.ts";
import { OrderNotFound } from "../../domain/failures.ts";
import { readingOrder } from "./lists.ts";

export const orderOfMessageRoute = (orders: MessageOrders): Route =>
  defineRoute({
    ...readingOrder,
    path: "/catalogs/orders/of-message/:messageId",
    operationId: "getOrderOfMessage",
    summary: "Find the order that a customer's catalog message made",
    rules: {
      "OfMessage.1":
        "`id` is the order's. A message without an order, one of another business, and one in a chat that the agent may not " +
        "see are a 404.",
    },
    params: objectWith({ messageId: numericIdOf("message") }),
    responses: {
      200: { description: "The order's id", schema: objectWith({ id: integer }) },
      400: { description: "The id is malformed", schema: problem },
      404: { description: "The message made no order", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    handle: async ({ params: { messageId }, caller }) => {
      const id = await orders.ofMessage(caller.businessId, messageId, heldTo(caller));
      if (id === null) throw new OrderNotFound(`of message ${messageId}`);
      return { id };
    },
  });

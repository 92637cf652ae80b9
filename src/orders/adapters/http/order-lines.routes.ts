import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { idOf, objectWith, problem, type Schema } from "../../../infra/http/routing/schema.ts";
import type { AddLineFailure, EditOrders, RemoveLineFailure } from "../../application/edits/edit-orders.ts";
import { editDialect, editing, editOf, etagHeader, etagOf, eventRule, movedOn, versionRule } from "./order-edit.ts";
import { lineFields, lineOf } from "./picked-line.ts";

const mostExtras = 100;

const addition = {
  type: "object",
  required: ["orderId", "articleId", "extras"],
  properties: { orderId: idOf("order"), ...lineFields(mostExtras) },
} as const satisfies Schema;

const removal = objectWith({ detailId: idOf("detail"), orderId: idOf("order") });

const added = { message: "Producto añadido a la orden" } as const;
const removed = { message: "Detalle borrado" } as const;

const additionDialect: Dialect<InvalidInput | AddLineFailure> = {
  ...editDialect,
  article_not_found: () => [400, { message: "Producto no encontrado" }],
  order_not_found: () => [400, { message: "Order no existe" }],
  order_too_dear: () => [400, { message: "El total de la orden es demasiado grande" }],
  unexpected: () => [500, { message: "Algo salió mal" }],
};

const removalDialect: Dialect<InvalidInput | RemoveLineFailure> = {
  ...editDialect,
  line_not_found: () => [400, { message: "No existe" }],
  order_not_found: () => [500, { message: "Algo salió mal" }],
  unexpected: () => [500, { message: "Algo salió mal" }],
};

/** §10 Add a product to an order. */
export const addLineRoute = (orders: Pick<EditOrders, "addLine">): Route =>
  defineRoute({
    ...editing,
    method: "post",
    path: "/catalogs/orders/products/new",
    operationId: "addOrderLine",
    summary: "Add a product to an order",
    rules: {
      "§10.1":
        "The product must exist, otherwise 400 'Producto no encontrado'; then the order must, otherwise 400 'Order no existe'.",
      "§10.2": "The event product_picked is recorded in the e-commerce statistics.",
      "§10.3":
        "The detail has the quantity, the product's retailer_id, and the type `delivery_coupon` when the product's type " +
        "is free_delivery or delivery, otherwise `item`.",
      "§10.4":
        "Each extra is recorded in the statistics as extra_picked, even if it does not exist; then it is left out. An " +
        "existing extra is added to the detail. With both `customPrice` and `picked` the order pays that price for it; if " +
        "an extra is given twice, the last price counts. One of the two alone has no effect.",
      ...eventRule("§10.5"),
      "§10.6":
        `At most ${mostExtras} extras. A custom price has at most two decimals. Simultaneous additions are all kept. An ` +
        "addition is refused (400) if the order's total would exceed 90071992547409.91, the largest that a number holds " +
        "exactly in cents.",
      ...versionRule("§10.7"),
    },
    idempotent: true,
    body: addition,
    responses: {
      200: { description: "Added", headers: etagHeader, schema: objectWith({ message: { const: added.message } }) },
      400: { description: "A field is missing or wrong, or there is no such product or order", schema: problem },
      412: movedOn,
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: additionDialect,
    handle: async ({ body, caller, headers }) => {
      const order = await orders.addLine({
        ...editOf(body.orderId, caller, headers),
        ...lineOf(body),
      });
      return new Reply(200, added, etagOf(order));
    },
  });

/** §11 Remove a product from an order. */
export const removeLineRoute = (orders: Pick<EditOrders, "removeLine">): Route =>
  defineRoute({
    ...editing,
    method: "delete",
    path: "/catalogs/orders/details/delete",
    operationId: "removeOrderLine",
    summary: "Remove a product from an order",
    rules: {
      "§11.1": "A detail that does not exist is answered with 400 'No existe'.",
      "§11.2": "The extras of the detail are deleted, then the detail and its custom prices in extra_data.",
      "§11.3":
        "Clients get `order:changed` of the order. `orderId` is not checked first: if there is no such order, the detail and " +
        "its extras are still deleted, and the answer is 500 'Algo salió mal'.",
      "§11.4":
        "The order of the detail is the one that changes (its version, its history), even if `orderId` is another one. Then " +
        "clients get events of both, and the answer's ETag is of the order in `orderId`.",
      ...versionRule("§11.5"),
      "§11.6":
        "`If-Match`, also `*`, refers to the order in `orderId`. If there is none, the answer is 412 and the detail remains.",
    },
    body: removal,
    responses: {
      200: { description: "Removed", headers: etagHeader, schema: objectWith({ message: { const: removed.message } }) },
      400: { description: "A field is missing or wrong, or there is no such detail", schema: problem },
      412: movedOn,
      500: { description: "No such order, but the detail was removed; or an unexpected failure", schema: problem },
    },
    dialect: removalDialect,
    handle: async ({ body, caller, headers }) => {
      const order = await orders.removeLine({ ...editOf(body.orderId, caller, headers), lineId: body.detailId });
      return new Reply(200, removed, etagOf(order));
    },
  });

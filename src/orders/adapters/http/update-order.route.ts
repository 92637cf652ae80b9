import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { idOf, named, objectWith, problem, type Schema } from "../../../infra/http/routing/schema.ts";
import type { EditOrders, UpdateOrderFailure } from "../../application/edits/edit-orders.ts";
import { updatedToWire } from "../wire/order-wire.ts";
import { editDialect, editing, editOf, etagHeader, etagOf, eventRule, movedOn, versionRule } from "./order-edit.ts";
import { fieldsOf, writtenFields } from "./order-fields.ts";
import { updatedOrderSchema } from "./order-schemas.ts";

const body = named("OrderUpdate", {
  type: "object",
  required: ["orderId"],
  properties: { orderId: idOf("order"), ...writtenFields },
} as const satisfies Schema);

const dialect: Dialect<InvalidInput | UpdateOrderFailure> = {
  ...editDialect,
  order_not_found: () => [400, { message: "Order not found" }],
  branch_not_found: () => [400, { message: "Sucursal no encontrada" }],
  zone_not_found: () => [400, { message: "Zona no encontrada" }],
  unexpected: () => [500, { message: "Internal server error" }],
};

/** §9 Update an order. */
export const updateOrderRoute = (orders: Pick<EditOrders, "update">): Route =>
  defineRoute({
    ...editing,
    method: "put",
    path: "/catalogs/order/update",
    operationId: "updateOrder",
    summary: "Write the fields of an order",
    rules: {
      "§9.1":
        "`shipmentMethod`, `paymentMethod`, `sucursalId`, `location_picked`, `raw_adress` and `paid` are always " +
        "written: an omitted one becomes null. To keep a value, send it again. A field of the wrong type is a 400.",
      "§9.2": "An order that does not exist is answered with 400 'Order not found', whatever `If-Match` says.",
      "§9.3": "The answer shows the order after the update, with its branch, its zone and the zone's branch.",
      "§9.4":
        "With `shouldUpdateSucursal` an order for delivery gets the branch of its zone, even null, instead of `sucursalId`; " +
        "without a zone it gets `sucursalId`. An id of no branch or zone is a 400, `sucursalId` also if the zone's branch " +
        "replaces it. The update's own shipment method and zone count.",
      ...eventRule("§9.5"),
      "§9.6":
        "`scheduleAt`, `lat`, `lng` and `zoneId` stay as they are if they are omitted, and null clears them. `schedule_at` " +
        "and `zone_id` are other names of the same fields: if both names are given, the values must agree. Dates agree if " +
        "they mean the same moment and both or neither have a zone. A date without a zone is in the business's time zone.",
      "§9.7":
        "A change of shipment method, branch, zone or place removes the delivery-pricing integration's price. A new one is " +
        "requested in the background (§12.5).",
      ...versionRule("§9.8"),
    },
    body,
    responses: {
      200: {
        description: "The order",
        headers: etagHeader,
        schema: objectWith({ order: updatedOrderSchema }),
      },
      400: { description: "A field is wrong, or there is no such order, branch or zone", schema: problem },
      412: movedOn,
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect,
    handle: async ({ body, caller, headers }) => {
      const updated = await orders.update({
        ...editOf(body.orderId, caller, headers),
        ...fieldsOf(body),
      });
      return new Reply(200, { order: updatedToWire(updated) }, etagOf(updated));
    },
  });

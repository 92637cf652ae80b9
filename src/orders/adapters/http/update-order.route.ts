import { type Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { idOf, objectWith, problem, type Schema } from "../../../infra/http/routing/schema.ts";
import { instantOf, namesZone } from "../../../kernel/instants.ts";
import type { EditOrders, UpdateOrderFailure } from "../../application/edits/edit-orders.ts";
import { updatedToWire } from "../wire/order-wire.ts";
import { editDialect, editing, editOf, etagHeader, etagOf, eventRule, movedOn, versionRule } from "./order-edit.ts";
import { updatedOrderSchema } from "./order-schemas.ts";

const nullableId = <const Entity extends string>(entity: Entity) =>
  ({ ...idOf(entity), type: ["integer", "null"] }) as const;
const nullableNumber = { type: ["number", "null"] } as const;
const when = { type: ["string", "null"], maxLength: 40, example: "2026-05-04T18:30:00-04:00" } as const;

const body = {
  type: "object",
  required: ["orderId"],
  properties: {
    orderId: idOf("order"),
    shipmentMethod: { type: ["string", "null"], enum: ["delivery", "pickup", null] },
    paymentMethod: { type: ["string", "null"], maxLength: 100 },
    sucursalId: nullableId("branch"),
    location_picked: { type: ["string", "null"], maxLength: 255 },
    raw_adress: { type: ["string", "null"], maxLength: 2000 },
    paid: { type: ["boolean", "null"] },
    shouldUpdateSucursal: { type: "boolean" },
    scheduleAt: when,
    schedule_at: when,
    lat: { ...nullableNumber, minimum: -90, maximum: 90 },
    lng: { ...nullableNumber, minimum: -180, maximum: 180 },
    zoneId: nullableId("zone"),
    zone_id: nullableId("zone"),
  },
} as const satisfies Schema;

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
    rules: [
      [
        "§9.1",
        "`shipmentMethod`, `paymentMethod`, `sucursalId`, `location_picked`, `raw_adress` and `paid` are always " +
          "written: one that is omitted becomes null. To keep a value, send it again. A field of a wrong type is a 400.",
      ],
      ["§9.2", "An order that does not exist is answered with 400 'Order not found', whatever `If-Match` says."],
      ["§9.3", "The answer shows the order as it is then, with its branch, its zone and the zone's branch."],
      [
        "§9.4",
        "With `shouldUpdateSucursal` an order that is then to be delivered gets the branch of the zone that it then " +
          "has, null included, in place of `sucursalId`; an order without a zone gets `sucursalId`. An id that names " +
          "no branch or zone is a 400, `sucursalId` also where the zone's branch takes its place.",
      ],
      eventRule("§9.5"),
      [
        "§9.6",
        "`scheduleAt`, `lat`, `lng` and `zoneId` stay as they are when omitted, and null clears them. `schedule_at` " +
          "and `zone_id` are other names of the same fields: given under both names, the values must agree, dates by " +
          "the moment that they mean (with a zone both, or neither). A date without a zone is in the business's time zone.",
      ],
      [
        "§9.7",
        "Another shipment method, branch, zone or place voids the price that the delivery-pricing integration gave. " +
          "It is asked anew in the background (§12.5).",
      ],
      versionRule("§9.8"),
    ],
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
        shipmentMethod: body.shipmentMethod ?? null,
        paymentMethod: body.paymentMethod ?? null,
        branchId: body.sucursalId ?? null,
        locationLabel: body.location_picked ?? null,
        rawAddress: body.raw_adress ?? null,
        paid: body.paid ?? null,
        takesBranchOfZone: body.shouldUpdateSucursal ?? false,
        scheduledAt: dateOf(body),
        latitude: body.lat,
        longitude: body.lng,
        zoneId: agreed(["zoneId", "zone_id"], body.zoneId, body.zone_id),
      });
      return new Reply(200, { order: updatedToWire(updated) }, etagOf(updated));
    },
  });

/** The value of a field that has two names. */
function agreed<Value>(names: readonly [string, string], value: Value, other: Value, isSame = Object.is): Value {
  if (value !== undefined && other !== undefined && !isSame(value, other)) {
    throw new InvalidInput(`${names.join(" y ")} no coinciden`);
  }
  return value === undefined ? other : value;
}

function dateOf(given: { readonly scheduleAt?: string | null; readonly schedule_at?: string | null }) {
  for (const name of ["scheduleAt", "schedule_at"] as const) {
    const date = given[name];
    if (typeof date === "string" && instantOf(date, "UTC") === null) {
      throw new InvalidInput(`${name} debe ser una fecha ISO 8601`);
    }
  }
  return agreed(["scheduleAt", "schedule_at"], given.scheduleAt, given.schedule_at, isSameMoment);
}

/** Of two dates that name their zones, or that both leave it to the business. */
function isSameMoment(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one === other;
  return namesZone(one) === namesZone(other) && instantOf(one, "UTC")?.getTime() === instantOf(other, "UTC")?.getTime();
}

import { type Dialect, InvalidInput } from "../../../infra/http/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/route.ts";
import { idOf, nullableInteger, nullableText, problem, type Schema, text } from "../../../infra/http/schema.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { decimalOf } from "../../../kernel/money.ts";
import type { UpdateOrder, UpdateOrderFailure } from "../../application/update-order.ts";
import type { Order } from "../../domain/order.ts";
import { editRules, editStatuses } from "./edit-rules.ts";
import { etagOf, expectedVersion } from "./expected-version.ts";

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

const branch = {
  type: ["object", "null"],
  required: ["id", "nombre"],
  properties: { id: { type: "integer" }, nombre: text },
} as const;

const order = {
  type: "object",
  required: [
    "id",
    "shipment_method",
    "payment_method",
    "sucursal_id",
    "location_picked",
    "raw_adress",
    "paid",
    "schedule_at",
    "lat",
    "lng",
    "zone_id",
    "sucursal",
    "zona",
  ],
  additionalProperties: false,
  properties: {
    id: { type: "integer" },
    shipment_method: { enum: ["delivery", "pickup", null] },
    payment_method: nullableText,
    sucursal_id: nullableInteger,
    location_picked: nullableText,
    raw_adress: nullableText,
    paid: { type: ["boolean", "null"] },
    schedule_at: { type: ["string", "null"], format: "date-time" },
    lat: nullableNumber,
    lng: nullableNumber,
    zone_id: nullableInteger,
    sucursal: branch,
    zona: {
      type: ["object", "null"],
      required: ["id", "precio", "sucursal"],
      properties: { id: { type: "integer" }, precio: text, sucursal: branch },
    },
  },
} as const satisfies Schema;

const dialect: Dialect<InvalidInput | UpdateOrderFailure> = {
  invalid_input: (error) => [400, { message: error.message }],
  order_not_found: () => [400, { message: "Order not found" }],
  branch_not_found: () => [400, { message: "Sucursal no encontrada" }],
  zone_not_found: () => [400, { message: "Zona no encontrada" }],
  order_moved_on: editStatuses.movedOn,
  unexpected: () => [500, { message: "Internal server error" }],
};

/** §9 Update an order. */
export const updateOrderRoute = (updateOrder: Pick<UpdateOrder, "execute">): Route =>
  defineRoute({
    method: "put",
    path: "/catalogs/order/update",
    operationId: "updateOrder",
    tag: "Orders",
    summary: "Write the fields of an order",
    rules: [
      [
        "§9.1",
        "`shipmentMethod`, `paymentMethod`, `sucursalId`, `location_picked`, `raw_adress` and `paid` are always " +
          "written: one that is omitted becomes null. To keep a value, send it again. A field of a wrong type is a 400.",
      ],
      ["§9.2", "An order that does not exist is answered with 400 'Order not found'."],
      ["§9.3", "The answer shows the order as it is then, with its branch, its zone and the zone's branch."],
      [
        "§9.4",
        "With `shouldUpdateSucursal` an order that is then to be delivered gets the branch of the zone that it then " +
          "has, null included, in place of `sucursalId`; an order without a zone gets `sucursalId`. An id that names " +
          "no branch or zone is a 400, `sucursalId` also where the zone's branch takes its place.",
      ],
      [
        "§9.5",
        "Clients hear `order:changed`: for orders of type app or web on the Pusher-protocol channel where one is " +
          "configured, else on the namespace `/realtime`.",
      ],
      [
        "§9.6",
        "`scheduleAt`, `lat`, `lng` and `zoneId` stay as they are when omitted, and null clears them. `schedule_at` " +
          "and `zone_id` are other names of the same fields: given under both names, the values must agree. A date " +
          "without a zone is in the business's time zone.",
      ],
      [
        "§9.7",
        "Another shipment method, branch, zone or place voids the price that the delivery-pricing integration gave.",
      ],
      ...editRules("§9.8"),
    ],
    auth: "app-key",
    conditional: true,
    body,
    responses: {
      200: {
        description: "The order",
        headers: { ETag: 'The version of the order: `"v7"`' },
        schema: { type: "object", required: ["order"], properties: { order } },
      },
      400: { description: "A field is wrong, or there is no such order, branch or zone", schema: problem },
      412: { description: "The order is not at the version that `If-Match` names", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect,
    handle: async ({ body, caller, headers }) => {
      const updated = await updateOrder.execute({
        businessId: caller.businessId,
        orderId: body.orderId,
        actor: { kind: "key", id: caller.keyId },
        expected: expectedVersion(headers),
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
      return new Reply(200, { order: toWire(updated) }, etagOf(updated));
    },
  });

/** The value of a field that has two names. */
function agreed<Value>(names: readonly [string, string], value: Value, other: Value): Value {
  if (value !== undefined && other !== undefined && value !== other) {
    throw new InvalidInput(`${names.join(" y ")} no coinciden`);
  }
  return value === undefined ? other : value;
}

function dateOf(given: { readonly scheduleAt?: string | null; readonly schedule_at?: string | null }) {
  const date = agreed(["scheduleAt", "schedule_at"], given.scheduleAt, given.schedule_at);
  if (typeof date === "string" && instantOf(date, "UTC") === null) {
    const name = given.scheduleAt === undefined ? "schedule_at" : "scheduleAt";
    throw new InvalidInput(`${name} debe ser una fecha ISO 8601`);
  }
  return date;
}

const toWire = (order: Order) => ({
  id: order.id,
  shipment_method: order.shipmentMethod,
  payment_method: order.paymentMethod,
  sucursal_id: order.branchId,
  location_picked: order.locationLabel,
  raw_adress: order.rawAddress,
  paid: order.paid,
  schedule_at: order.scheduledAt?.toISOString() ?? null,
  lat: order.latitude,
  lng: order.longitude,
  zone_id: order.zoneId,
  sucursal: order.branch && branchToWire(order.branch),
  zona: order.zone && {
    id: order.zone.id,
    precio: decimalOf(order.zone.price),
    sucursal: order.zone.branch && branchToWire(order.zone.branch),
  },
});

const branchToWire = ({ id, name }: NonNullable<Order["branch"]>) => ({ id, nombre: name });

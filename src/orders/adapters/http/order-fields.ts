import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { type Infer, idOf, type Schema } from "../../../infra/http/routing/schema.ts";
import { instantOf, namesZone } from "../../../kernel/instants.ts";
import type { UpdateOrderCommand } from "../../application/edits/edit-orders.ts";
import type { OrderEdit } from "../../application/edits/ports.ts";

export const nullableId = <const Entity extends string>(entity: Entity) =>
  ({ ...idOf(entity), type: ["integer", "null"] }) as const;
const nullableNumber = { type: ["number", "null"] } as const;
const when = { type: ["string", "null"], maxLength: 40, example: "2026-05-04T18:30:00-04:00" } as const;

/** The fields in which callers give the values of an order. */
export const writtenFields = {
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
} as const satisfies Record<string, Schema>;

type Written = Infer<{ readonly type: "object"; readonly properties: typeof writtenFields }>;

/**
 * An omitted date, coordinate or zone becomes `undefined`: an update then keeps the order's value. All other omitted
 * fields are written, as null or false.
 */
export const fieldsOf = (written: Written): Omit<UpdateOrderCommand, keyof OrderEdit> => ({
  shipmentMethod: written.shipmentMethod ?? null,
  paymentMethod: written.paymentMethod ?? null,
  branchId: written.sucursalId ?? null,
  locationLabel: written.location_picked ?? null,
  rawAddress: written.raw_adress ?? null,
  paid: written.paid ?? null,
  takesBranchOfZone: written.shouldUpdateSucursal ?? false,
  scheduledAt: dateOf(written),
  latitude: written.lat,
  longitude: written.lng,
  zoneId: agreed(["zoneId", "zone_id"], written.zoneId, written.zone_id),
});

/** The value of a field that has two names. If the caller uses both names, the values must agree. */
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

/** A date with a time zone is never the same as a date without one. */
function isSameMoment(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one === other;
  return namesZone(one) === namesZone(other) && instantOf(one, "UTC")?.getTime() === instantOf(other, "UTC")?.getTime();
}

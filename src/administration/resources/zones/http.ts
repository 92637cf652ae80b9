import { money, optionalReference, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { type Zone, zoneMatching } from "./record.ts";

export const zonesOnWire: RecordOnWire<Zone> = {
  path: "zones",
  entity: "zone",
  one: "Zone",
  many: "Zones",
  matching: zoneMatching,
  fields: {
    name: requiredName("nombre"),
    price: money("precio"),
    branchId: optionalReference("sucursal_id", "branch"),
  },
  rules: ["Orders keep the price that the zone had when they were given to it."],
};

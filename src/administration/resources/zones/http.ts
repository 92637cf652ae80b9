import { money, optionalReference, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Zone } from "./record.ts";

export const zonesOnWire: RecordOnWire<Zone> = {
  path: "zones",
  entity: "zone",
  one: "Zone",
  many: "Zones",
  matching: { by: ["name", "branchId"] },
  chosenBy: ["name", "price", "branchId"],
  fields: {
    name: requiredName("nombre"),
    price: money("precio"),
    branchId: optionalReference("sucursal_id", "branch"),
  },
  rules: ["An order keeps the price that its zone had when the zone was set."],
};

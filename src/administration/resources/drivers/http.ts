import { optionalText, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Driver } from "./record.ts";

export const driversOnWire: RecordOnWire<Driver> = {
  path: "drivers",
  entity: "driver",
  one: "Driver",
  many: "Drivers",
  chosenBy: ["name", "phone"],
  fields: {
    name: requiredName("nombre"),
    phone: optionalText("telefono", 64),
    trackingId: optionalText("tracking_id", 200),
  },
};

import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Driver } from "./record.ts";

export const driversTable: RecordTable<Driver> = {
  name: "drivers",
  columns: { name: "name", phone: "phone", trackingId: "tracking_id" },
  searched: ["name", "phone"],
};

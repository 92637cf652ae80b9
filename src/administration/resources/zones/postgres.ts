import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Zone } from "./record.ts";

export const zonesTable: RecordTable<Zone> = {
  name: "zones",
  columns: { name: "name", price: "price", branchId: "branch_id" },
  exact: ["price"],
  searched: ["name"],
};

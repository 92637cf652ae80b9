import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Branch } from "./record.ts";

export const branchesTable: RecordTable<Branch> = {
  name: "branches",
  columns: { name: "name" },
  searched: ["name"],
};

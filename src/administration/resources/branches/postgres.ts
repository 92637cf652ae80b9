import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Branch } from "./record.ts";

export const branchesTable: RecordTable<Branch> = {
  name: "branches",
  columns: { name: "name" },
  searched: ["name"],
  uses: [
    { what: "orders", table: "orders", column: "branch_id" },
    { what: "users", table: "user_branches", column: "branch_id" },
    { what: "zones", table: "zones", column: "branch_id" },
  ],
};

import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { Department } from "./record.ts";

export const departmentsTable: RecordTable<Department> = {
  name: "departments",
  columns: { name: "name", openingHours: "opening_hours", outOfHoursMessage: "out_of_hours_message" },
  sets: { agentIds: { table: "department_agents", own: "department_id", other: "user_id", of: "users" } },
  searched: ["name"],
  uses: [
    { what: "steps", table: "steps", column: "department_id" },
    { what: "chats", table: "chats", column: "department_id" },
  ],
};

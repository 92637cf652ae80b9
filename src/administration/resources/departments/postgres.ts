import type { Queries } from "../../../infra/postgres/database.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import { agentRole } from "../../../kernel/ids.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { run, sql } from "../../adapters/postgres/query.ts";
import type { RecordTable } from "../../adapters/postgres/record-table.ts";
import type { LogAgentChanges } from "../../application/ports.ts";
import type { StoredRecord } from "../../domain/records.ts";
import type { Department } from "./record.ts";

const departmentsTable: RecordTable<Department> = {
  name: "departments",
  columns: { name: "name", openingHours: "opening_hours", outOfHoursMessage: "out_of_hours_message" },
  sets: {
    agentIds: {
      table: "department_agents",
      own: "department_id",
      other: "user_id",
      mirror: { resource: "users", field: "departmentIds" },
    },
  },
  searched: ["name"],
};

/** Also logs `agent:changed` for each agent who joins or leaves a department. */
export class PostgresDepartmentRecords extends KnexRecords<Department> {
  private readonly moved = new Set<number>();

  constructor(
    private readonly transaction: Queries,
    private readonly logAgentChanges: LogAgentChanges<Queries>,
  ) {
    super(transaction, departmentsTable);
  }

  override async create(businessId: number, fields: Department): Promise<StoredRecord<Department>> {
    const created = await super.create(businessId, fields);
    this.note([], created.fields.agentIds);
    return created;
  }

  override async change(businessId: number, id: number, fields: Department): Promise<StoredRecord<Department>> {
    const before = await this.held(businessId, id);
    const changed = await super.change(businessId, id, fields);
    this.note(before.fields.agentIds, changed.fields.agentIds);
    return changed;
  }

  async logEvents(businessId: number): Promise<readonly LoggedEvent[]> {
    if (this.moved.size === 0) return [];
    const agents = sql("users")
      .where({ business_id: businessId, role_id: agentRole, active: true })
      .whereIn("id", [...this.moved]);
    const found = await run<{ readonly id: number }>(this.transaction, agents.select("id"));
    if (found.length === 0) return [];
    const ids = found.map(({ id }) => id);
    return this.logAgentChanges(this.transaction, businessId, ids);
  }

  private note(before: readonly number[], after: readonly number[]): void {
    for (const id of before) if (!after.includes(id)) this.moved.add(id);
    for (const id of after) if (!before.includes(id)) this.moved.add(id);
  }
}

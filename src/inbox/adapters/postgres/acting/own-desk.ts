import type { Cells } from "../../../../infra/postgres/cells.ts";
import { loggedEvents } from "../../../../infra/postgres/log-events.ts";
import { columnsOfRow, jsonOf } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { LoggedEvent } from "../../../../kernel/events.ts";
import { agentRole } from "../../../../kernel/ids.ts";
import type { OwnDesk, OwnView } from "../../../application/acting/availability.ts";
import { nameAndPayload } from "../announce-sql.ts";
import { named } from "../chat-sql.ts";

const find = statement("own_find")`
  select ${jsonOf<OwnView>({
    ...columnsOfRow("agent", "id", "name", "roleId", "available"),
    email: `
      (select email from credentials as credential
       where credential.business_id = agent.business_id and credential.user_id = agent.id)`,
    business: named("business"),
    flags: "business.feature_flags",
    departments: `
      coalesce((
        select jsonb_agg(${named("department")} order by department.id)
        from department_agents as member
        join departments as department
          on department.business_id = member.business_id and department.id = member.department_id
        where member.business_id = agent.business_id and member.user_id = agent.id), '[]')`,
  })} as own
  from users as agent join businesses as business on business.id = agent.business_id
  where agent.business_id = $1 and agent.id = $2`;

const setAvailable = statement("own_available")`
  with agent as (
    update users set available = $3 where business_id = $1 and id = $2 and available <> $3
    returning business_id, id, name, available, role_id, active
  ),
  events as (
    select agent.business_id, 0 as position, ${nameAndPayload("agent:changed")} from agent
    where agent.role_id = ${agentRole}
  ),
  ${loggedEvents}`;

export class PostgresOwnDesk implements OwnDesk {
  constructor(private readonly cells: Cells) {}

  async find(businessId: number, userId: number): Promise<OwnView> {
    const [row] = await this.cells.of(businessId).rows<{ own: OwnView }>(find, [businessId, userId]);
    if (!row) throw new Error(`user ${userId} of business ${businessId} is gone`);
    return row.own;
  }

  setAvailable(businessId: number, userId: number, isAvailable: boolean): Promise<LoggedEvent[]> {
    return this.cells.of(businessId).rows<LoggedEvent>(setAvailable, [businessId, userId, isAvailable]);
  }
}

import { type Columns, columnsOfRow, jsonOf } from "../../../infra/postgres/sql-text.ts";
import type { AgentView } from "../../application/events.ts";

export const agentFields: Columns<AgentView> = {
  ...columnsOfRow("agent", "id", "name", "available"),
  departmentIds: `
    array(select department_id from department_agents
          where business_id = agent.business_id and user_id = agent.id order by 1)`,
  openTickets: `
    (select count(*) from tickets
     where business_id = agent.business_id and agent_id = agent.id and closed_at is null)`,
};

export const agentView = jsonOf(agentFields);

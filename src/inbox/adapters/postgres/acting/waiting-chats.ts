import type { Queries } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import { agentRole } from "../../../../kernel/ids.ts";
import type { DepartmentDesk } from "../../../application/acting/ports.ts";
import type { DepartmentLine } from "../../../application/lines/ports.ts";
import type { AgentLoad } from "../../../domain/assignment.ts";
import { chatState } from "../state-sql.ts";
import { queueOfChat } from "../visibility-sql.ts";

const department = statement("desk_department")`
  select department.business_id as "businessId", department.id as "departmentId",
         department.opening_hours as "openingHours", business.feature_flags->>'timezone' as timezone
  from departments as department join businesses as business on business.id = department.business_id
  where department.business_id = $1 and department.id = $2`;

const wait = statement("desk_wait")`
  insert into waiting_chats as waiting (business_id, chat_id, department_id) values ($1, $2, $3)
  on conflict (business_id, chat_id) do update set department_id = excluded.department_id, since = excluded.since
  where waiting.department_id <> excluded.department_id`;

/**
 * Available agents with their load: open tickets, and open chats without an open ticket. The limit leaves out only
 * agents with the highest load.
 */
const agents = statement("desk_agents")`
  select agent.id, agent.name, true as "takesAll", in_hand.tickets + in_hand.chats as load,
         (extract(epoch from greatest(agent.chat_given_at, in_hand.ticket_given_at)) * 1000000)::bigint as "lastGiven"
  from department_agents as member
  join users as agent on agent.business_id = member.business_id and agent.id = member.user_id
  cross join lateral (
    select (select count(*) from tickets
            where business_id = agent.business_id and agent_id = agent.id and closed_at is null) as tickets,
           (select created_at from tickets
            where business_id = agent.business_id and agent_id = agent.id order by id desc limit 1) as ticket_given_at,
           (select count(*) from chats as chat
            where chat.business_id = agent.business_id and ${queueOfChat} = agent.id
              and chat.state in (${chatState.pending}, ${chatState.in_progress}) and chat.last_message_at is not null
              and not exists (
                select 1 from tickets as ticket
                where ticket.business_id = chat.business_id and ticket.chat_id = chat.id
                  and ticket.closed_at is null)) as chats
  ) as in_hand
  where member.business_id = $1 and member.department_id = $2
    and agent.role_id = ${agentRole} and agent.active and agent.available
  order by load, "lastGiven" nulls first, agent.id
  limit 500`;

const noteGiven = statement("desk_note_given")`
  with agents as (
    select id from users where business_id = $1 and id = any($2::bigint[]) order by id for no key update
  ),
  given as (select id, clock_timestamp() as at from agents)
  update users as agent set chat_given_at = given.at
  from given where agent.business_id = $1 and agent.id = given.id`;

const forgetServed = statement("desk_forget_served")`
  delete from waiting_chats as waiting using chats as chat
  where waiting.business_id = $1 and waiting.department_id = $2
    and chat.business_id = waiting.business_id and chat.id = waiting.chat_id
    and (chat.support_user_id is not null or chat.state <> ${chatState.pending}
         or chat.department_id is distinct from waiting.department_id)`;

const oldest = statement("desk_oldest")`
  select chat_id as id from waiting_chats where business_id = $1 and department_id = $2
  order by since, chat_id limit $3`;

export class PostgresDepartmentDesk implements DepartmentDesk {
  constructor(private readonly transaction: Queries) {}

  async department(businessId: number, departmentId: number): Promise<DepartmentLine | null> {
    const [line] = await this.transaction.rows<DepartmentLine>(department, [businessId, departmentId]);
    return line ?? null;
  }

  agents({ businessId, departmentId }: DepartmentLine): Promise<AgentLoad[]> {
    return this.transaction.rows<AgentLoad>(agents, [businessId, departmentId]);
  }

  async noteGiven(businessId: number, agentIds: readonly number[]): Promise<void> {
    await this.transaction.rows(noteGiven, [businessId, agentIds]);
  }

  async wait(businessId: number, chatId: number, departmentId: number): Promise<void> {
    await this.transaction.rows(wait, [businessId, chatId, departmentId]);
  }

  async forgetServed({ businessId, departmentId }: DepartmentLine): Promise<void> {
    await this.transaction.rows(forgetServed, [businessId, departmentId]);
  }

  async oldest({ businessId, departmentId }: DepartmentLine, limit: number): Promise<number[]> {
    const rows = await this.transaction.rows<{ id: number }>(oldest, [businessId, departmentId, limit]);
    return rows.map(({ id }) => id);
  }
}

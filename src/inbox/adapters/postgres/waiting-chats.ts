import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import type { Queries, Statement } from "../../../infra/postgres/database.ts";
import type { DepartmentDesk, DepartmentLine, WaitingChats } from "../../application/acting/ports.ts";
import type { AgentLine } from "../../application/ports.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import { chatState } from "./state-sql.ts";
import type { PostgresTicketDesk } from "./ticket-desk.ts";

const department: Statement = {
  name: "desk_department",
  text: `
    select department.business_id as "businessId", department.id as "departmentId",
           department.opening_hours as "openingHours", business.feature_flags->>'timezone' as timezone
    from departments as department join businesses as business on business.id = department.business_id
    where department.business_id = $1 and department.id = $2`,
};

const wait: Statement = {
  name: "desk_wait",
  text: `
    insert into waiting_chats as waiting (business_id, chat_id, department_id) values ($1, $2, $3)
    on conflict (business_id, chat_id) do update set department_id = excluded.department_id, since = now()`,
};

const forgetServed: Statement = {
  name: "desk_forget_served",
  text: `
    delete from waiting_chats as waiting using chats as chat
    where waiting.business_id = $1 and waiting.department_id = $2
      and chat.business_id = waiting.business_id and chat.id = waiting.chat_id
      and (chat.support_user_id is not null or chat.state <> ${chatState.pending}
           or chat.department_id is distinct from waiting.department_id)`,
};

const oldest: Statement = {
  name: "desk_oldest",
  text: `
    select chat_id as id from waiting_chats where business_id = $1 and department_id = $2
    order by since, chat_id limit $3`,
};

const lines: Statement = {
  name: "desk_lines",
  text: `
    select distinct waiting.business_id as "businessId", waiting.department_id as "departmentId",
           department.opening_hours as "openingHours", business.feature_flags->>'timezone' as timezone
    from waiting_chats as waiting
    join departments as department
      on department.business_id = waiting.business_id and department.id = waiting.department_id
    join businesses as business on business.id = waiting.business_id
    where (waiting.business_id, waiting.department_id) > ($1::bigint, $2::bigint)
    order by 1, 2 limit 200`,
};

export class PostgresWaitingChats implements WaitingChats {
  constructor(private readonly cells: Cells) {}

  lines(after: Pick<DepartmentLine, "businessId" | "departmentId"> | null): Promise<DepartmentLine[]> {
    const values = [after?.businessId ?? 0, after?.departmentId ?? 0];
    return everywhere(this.cells, (cell) => cell.rows<DepartmentLine>(lines, values));
  }
}

export class PostgresDepartmentDesk implements DepartmentDesk {
  /** @param tickets - on the same transaction */
  constructor(
    private readonly transaction: Queries,
    private readonly tickets: Pick<PostgresTicketDesk, "hold" | "tryHold" | "agents">,
  ) {}

  async department(businessId: number, departmentId: number): Promise<DepartmentLine | null> {
    const [line] = await this.transaction.rows<DepartmentLine>(department, [businessId, departmentId]);
    return line ?? null;
  }

  hold(line: AgentLine): Promise<Date> {
    return this.tickets.hold(line);
  }

  tryHold(line: AgentLine): Promise<Date | null> {
    return this.tickets.tryHold(line);
  }

  agents(line: AgentLine): Promise<AgentLoad[]> {
    return this.tickets.agents(line, []);
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

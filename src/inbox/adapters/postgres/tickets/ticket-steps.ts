import { type Cells, everywhere } from "../../../../infra/postgres/cells.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { snakeCase } from "../../../../infra/postgres/sql-text.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import {
  type TicketSetups,
  type TicketStep,
  type TicketSteps,
  ticketStepFields,
} from "../../../application/tickets/ports.ts";
import type { TicketSetup } from "../../../domain/ticket.ts";

const list = statement("ticket_steps")`
  select ${ticketStepFields.map((field) => `${snakeCase(field)} as "${field}"`).join(", ")}
  from steps
  where business_id = $1 and type = 'ticket' and archived_at is null
  order by id limit 5000`;

export class PostgresTicketSteps implements TicketSteps {
  constructor(private readonly cells: Cells) {}

  list(businessId: number): Promise<TicketStep[]> {
    return this.cells.of(businessId).rows<TicketStep>(list, [businessId]);
  }
}

/** The columns of a `TicketSetup`, from the row `step` joined with `setupJoins`. */
export const setupColumns = `
  step.business_id as "businessId", business.name as "businessName",
  business.feature_flags->>'timezone' as timezone, step.id as "stepId", step.name as "stepName", step.content,
  step.media, step.media_url as "mediaUrl", step.media_type as "mediaType",
  step.tags, step.agent, step.department_id as "departmentId", department.opening_hours as "openingHours",
  department.out_of_hours_message as "outOfHoursMessage"`;

export const setupJoins = `
  join businesses as business on business.id = step.business_id
  left join departments as department
    on department.business_id = step.business_id and department.id = step.department_id`;

const find = statement("ticket_setup")`
  select ${setupColumns} from steps as step ${setupJoins}
  where step.business_id = $1 and step.id = $2 and step.type = 'ticket' and step.archived_at is null`;

/**
 * `own`: the business has a step with this id. `foreign`: another business has one; ignored if `own` is true.
 * Both subqueries always run, so that the response time reveals no more than the answer.
 */
const whose = statement("ticket_step_whose")`
  select exists (select 1 from steps where business_id = $1 and id = $2) as own,
         exists (select 1 from steps where id = $2 and business_id <> $1 and archived_at is null
           and ${livesHere("business_id")}) as foreign`;

export class PostgresTicketSetups implements TicketSetups {
  constructor(private readonly cells: Cells) {}

  async find(businessId: number, stepId: number): Promise<TicketSetup | "foreign" | "missing"> {
    const [setup] = await this.cells.of(businessId).rows<TicketSetup>(find, [businessId, stepId]);
    if (setup) return setup;
    const found = await everywhere(this.cells, (cell) =>
      cell.rows<{ own: boolean; foreign: boolean }>(whose, [businessId, stepId]),
    );
    const isForeign = found.some((cell) => cell.foreign) && !found.some((cell) => cell.own);
    return isForeign ? "foreign" : "missing";
  }
}

import { type Cells, everywhere } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import type { TicketSetups } from "../../application/ports.ts";
import type { TicketSetup } from "../../domain/ticket.ts";

/** A `TicketSetup` of the row `step`, together with `setupJoins`. */
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

const find: Statement = {
  name: "ticket_setup",
  text: `
    select ${setupColumns} from steps as step ${setupJoins}
    where step.business_id = $1 and step.id = $2 and step.type = 'ticket'`,
};

/** A step of ours that opens no tickets is none of another business, whatever that one's are numbered. */
const isForeign: Statement = {
  name: "ticket_step_is_foreign",
  text: `
    select from steps where id = $2 and business_id <> $1
      and not exists (select from steps as own where own.business_id = $1 and own.id = $2)
    limit 1`,
};

export class PostgresTicketSetups implements TicketSetups {
  constructor(private readonly cells: Cells) {}

  async find(businessId: number, stepId: number): Promise<TicketSetup | "foreign" | "missing"> {
    const [setup] = await this.cells.of(businessId).rows<TicketSetup>(find, [businessId, stepId]);
    if (setup) return setup;
    const others = await everywhere(this.cells, (cell) => cell.rows(isForeign, [businessId, stepId]));
    return others.length > 0 ? "foreign" : "missing";
  }
}

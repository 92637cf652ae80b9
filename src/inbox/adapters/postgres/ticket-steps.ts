import type { Cells } from "../../../infra/postgres/cells.ts";
import type { Statement } from "../../../infra/postgres/database.ts";
import type { TicketStep, TicketSteps } from "../../application/ports.ts";

const list: Statement = {
  name: "ticket_steps",
  text: `
    select id, name, identifier, type, content, variable, media, media_type as "mediaType", media_url as "mediaUrl",
           parent_step_id as "parentStepId", description, buttons, options_title as "optionsTitle", options,
           department_id as "departmentId", initial, catalog_id as "catalogId", business_id as "businessId", agent,
           next_step_id as "nextStepId", loop, ai_prompt_id as "aiPromptId", structure_id as "structureId", tags,
           maps_search as "mapsSearch", maps_radius as "mapsRadius", helper_data as "helperData", initiator, catalogs,
           check_branch as "checkBranch", flow_id as "flowId", created_at as "createdAt", updated_at as "updatedAt"
    from steps
    where business_id = $1 and type = 'ticket'
    order by id limit 5000`,
};

export class PostgresTicketSteps implements TicketSteps {
  constructor(private readonly cells: Cells) {}

  list(businessId: number): Promise<TicketStep[]> {
    return this.cells.of(businessId).rows<TicketStep>(list, [businessId]);
  }
}

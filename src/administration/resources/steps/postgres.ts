import type { Queries } from "../../../infra/postgres/database.ts";
import { KnexRecords } from "../../adapters/postgres/knex-records.ts";
import { advisoryLock, run, sql } from "../../adapters/postgres/query.ts";
import { columnsOf, type RecordTable } from "../../adapters/postgres/record-table.ts";
import { CyclicReference, type StoredRecord } from "../../domain/records.ts";
import type { Step } from "./record.ts";

const stepsTable: RecordTable<Step> = {
  name: "steps",
  columns: {
    ...columnsOf<Step>("name", "identifier", "type", "content", "variable", "media", "mediaType", "mediaUrl"),
    ...columnsOf<Step>("parentStepId", "description", "buttons", "optionsTitle", "options", "departmentId", "initial"),
    ...columnsOf<Step>("catalogId", "agent", "nextStepId", "loop", "aiPromptId", "structureId", "tags", "mapsSearch"),
    ...columnsOf<Step>("mapsRadius", "helperData", "initiator", "catalogs", "checkBranch", "flowId", "businessId"),
    ...columnsOf<Step>("createdAt", "updatedAt"),
  },
  searched: ["name", "identifier"],
  unique: { steps_by_identifier: "identifier" },
  changedAt: "updated_at",
};

/** The columns that link a step to another one. Each may form a cycle only through a step with `loop`. */
const links = [
  ["parentStepId", "parent_step_id"],
  ["nextStepId", "next_step_id"],
] as const;

export class PostgresStepRecords extends KnexRecords<Step> {
  constructor(private readonly transaction: Queries) {
    super(transaction, stepsTable);
  }

  /** Writes take turns. Two at the same time could each add half of a cycle, and neither would see the whole. */
  protected override lockWrites(businessId: number): Promise<void> {
    return advisoryLock(this.transaction, "steps", businessId);
  }

  override async change(businessId: number, id: number, step: Step): Promise<StoredRecord<Step>> {
    const kept = await super.change(businessId, id, step);
    for (const [field, column] of links) {
      if (await this.formsCycle(businessId, id, column)) throw new CyclicReference(field);
    }
    return kept;
  }

  /** Whether the links in `column` lead from the step back to the same step without passing a step with `loop`. */
  private async formsCycle(businessId: number, id: number, column: string): Promise<boolean> {
    const rows = await run<{ id: number }>(
      this.transaction,
      sql.raw(
        `with recursive way as (
           select step.id, step.?? as leads_to, step.loop as loops from steps as step
           where step.business_id = ? and step.id = ? and step.archived_at is null
           union
           select step.id, step.??, step.loop from way
           join steps as step on step.business_id = ? and step.id = way.leads_to and step.archived_at is null
           where not way.loops
         )
         select id from way where leads_to = ? and not loops`,
        [column, businessId, id, column, businessId, id],
      ),
    );
    return rows.length > 0;
  }
}

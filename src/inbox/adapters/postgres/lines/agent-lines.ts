import type { Queries, Statement } from "../../../../infra/postgres/database.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { AgentLine, AgentLines } from "../../../application/lines/ports.ts";

/**
 * Only one transaction at a time may assign agents of a line: otherwise concurrent transactions would all find the same
 * agent idle. The lock is on the row of the department, or of the business if the line has no department. Inserts that
 * refer to the row still work.
 */
const locking = (kind: "wait" | "skip"): { readonly department: Statement; readonly business: Statement } => {
  const lock = `for no key update ${kind === "skip" ? "skip locked" : ""}`;
  return {
    department: statement(`ticket_hold_department_${kind}`)`
      select clock_timestamp() as now from departments where business_id = $1 and id = $2 ${lock}`,
    business: statement(`ticket_hold_business_${kind}`)`
      select clock_timestamp() as now from businesses where id = $1 ${lock}`,
  };
};
const waiting = locking("wait");
const skipping = locking("skip");

export class PostgresAgentLines implements AgentLines {
  constructor(private readonly transaction: Queries) {}

  async hold(line: AgentLine): Promise<Date> {
    const now = await this.lock(line, waiting);
    if (!now) throw new Error(`department ${line.departmentId} of business ${line.businessId} is gone`);
    return now;
  }

  tryHold(line: AgentLine): Promise<Date | null> {
    return this.lock(line, skipping);
  }

  private async lock({ businessId, departmentId }: AgentLine, by: ReturnType<typeof locking>): Promise<Date | null> {
    const [held] =
      departmentId === null
        ? await this.transaction.rows<{ now: Date }>(by.business, [businessId])
        : await this.transaction.rows<{ now: Date }>(by.department, [businessId, departmentId]);
    return held?.now ?? null;
  }
}

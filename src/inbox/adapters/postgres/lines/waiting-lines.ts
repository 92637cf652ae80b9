import { type Cells, firstEverywhere } from "../../../../infra/postgres/cells.ts";
import type { Statement } from "../../../../infra/postgres/database.ts";
import { livesHere } from "../../../../infra/postgres/lives-here.ts";
import { statement } from "../../../../infra/postgres/statement.ts";
import type { DepartmentLine, WaitingLine, WaitingLines } from "../../../application/lines/ports.ts";

const mostLines = 200;

/**
 * @param waiting - a `from` clause with the rows `waiting` of waiting tickets or chats
 * @param department - the column with the department
 * @param place - a number that sorts the lines of a business
 */
function linesIn(waiting: string, department: string, place: string, names: { all: string; ofBusiness: string }) {
  const lines = (name: string, range: string): Statement => statement(name)`
    select distinct waiting.business_id as "businessId", ${place} as place, ${department} as "departmentId",
           department.opening_hours as "openingHours", business.feature_flags->>'timezone' as timezone
    from ${waiting}
    join businesses as business on business.id = waiting.business_id
    left join departments as department
      on department.business_id = waiting.business_id and department.id = ${department}
    where ${range}
    order by 1, 2 limit ${mostLines}`;
  return {
    all: lines(
      names.all,
      `(waiting.business_id, ${place}) > ($1::bigint, $2::bigint) and ${livesHere("waiting.business_id")}`,
    ),
    ofBusiness: lines(names.ofBusiness, `waiting.business_id = $1 and ${place} > $2::bigint`),
  };
}

const ofChats = linesIn("waiting_chats as waiting", "waiting.department_id", "waiting.department_id", {
  all: "desk_lines",
  ofBusiness: "desk_lines_of_business",
});

/** Lines without a department have the place 0. */
const ofTickets = linesIn(
  `waiting_tickets as waiting
    join steps as step on step.business_id = waiting.business_id and step.id = waiting.step_id`,
  "step.department_id",
  "coalesce(step.department_id, 0)",
  { all: "waiting_lines", ofBusiness: "waiting_lines_of_business" },
);

class PostgresWaitingLines<Line extends WaitingLine> implements WaitingLines<Line> {
  constructor(
    private readonly cells: Cells,
    private readonly statements: ReturnType<typeof linesIn>,
  ) {}

  list(businessId: number | null, after: Line | null): Promise<Line[]> {
    const { all, ofBusiness } = this.statements;
    if (businessId !== null) {
      const place = after === null ? -1 : (after.departmentId ?? 0);
      return this.cells.of(businessId).rows<Line>(ofBusiness, [businessId, place]);
    }
    const values = [after?.businessId ?? 0, after?.departmentId ?? 0];
    return firstEverywhere(this.cells, mostLines, (cell) => cell.rows<Line>(all, values));
  }
}

export const linesOfChats = (cells: Cells): WaitingLines<DepartmentLine> => new PostgresWaitingLines(cells, ofChats);
export const linesOfTickets = (cells: Cells): WaitingLines<WaitingLine> => new PostgresWaitingLines(cells, ofTickets);

import type { OpeningHours } from "../../domain/opening-hours.ts";

/** Tickets and chats that wait for the same agents. */
export interface AgentLine {
  readonly businessId: number;
  /** The department whose agents serve the line; null if all agents of the business do. */
  readonly departmentId: number | null;
}

/** A line in which something waits, with the facts that decide whether it is open. */
export interface WaitingLine extends AgentLine {
  readonly openingHours: OpeningHours | null;
  readonly timezone: string | null;
}

export interface DepartmentLine extends WaitingLine {
  readonly departmentId: number;
}

export interface WaitingLines<Line extends WaitingLine> {
  /** Up to 200 lines (of one business or all) in which something waits, in a fixed order, starting after `after`. */
  list(businessId: number | null, after: Line | null): Promise<Line[]>;
}

/** Locks lines until the transaction ends, so that only one transaction at a time assigns their agents. */
export interface AgentLines {
  /** Returns the database's time. */
  hold(line: AgentLine): Promise<Date>;
  /** Like `hold`, but returns null instead of waiting for the lock. */
  tryHold(line: AgentLine): Promise<Date | null>;
}

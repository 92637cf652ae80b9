import { usualStatementMs } from "./side.ts";

export interface MoveBounds {
  /** The maximum duration of a hold in milliseconds. Writes are refused meanwhile. */
  readonly holdMs: number;
  /** Milliseconds until every process knows a change in the directory. */
  readonly noticeMs: number;
  /** Rows that are copied in one transaction. */
  readonly chunk: number;
  /**
   * Milliseconds for which rows are copied from one snapshot. An older snapshot would keep `vacuum` from removing rows.
   */
  readonly stretchMs: number;
  /** Milliseconds for one statement. If the server is silent for longer, the move ends. */
  readonly statementMs: number;
  /** How many times changed rows are copied again before the business counts as too busy. */
  readonly catchUpRounds: number;
}

export const usualBounds: MoveBounds = {
  holdMs: 5_000,
  noticeMs: 2_500,
  chunk: 20_000,
  stretchMs: 5_000,
  statementMs: usualStatementMs,
  catchUpRounds: 30,
};

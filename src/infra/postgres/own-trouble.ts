import { DatabaseAway } from "../../kernel/errors.ts";

/**
 * SQLSTATEs of trouble that has nothing to do with what a statement says: deadlocks and cancellations, broken
 * connections, exhausted resources, a server that stops or starts, a business that is held for a move.
 */
const sqlStates = /^(40P01|40001|55P03|57014|08\w{3}|53\w{3}|57P0\w|RC001)$/;
/** What Node says of a network. */
const networkCodes = /^E[A-Z]{3,}$/;
/** What the driver says without any code. */
const driverMessages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has )/;

/** Whether a failure is the database's own and may well be over by the next attempt. */
export function isOwnTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseAway) return true;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return sqlStates.test(code) || networkCodes.test(code);
  return driverMessages.test(error.message);
}

/** Whether the server ended a statement, as a rule because it took too long. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "57014";

/**
 * What triggers say of a business that is being moved to another cell, or was moved: nothing of it is written here. The
 * code is our own, which PostgreSQL leaves free.
 */
export const movingState = "RC001";
/** The detail where the business has left for good. */
export const hasLeft = "it has left this cell";

/** SQLSTATEs, codes and messages of a connection that was never made: no statement left. */
const neverConnected =
  /^(57P03|53300|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;
/** The same of one that broke. */
const broken =
  /^(08\w{3}|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT|Connection terminated|Query read timeout|Client (has|was) )/;

/**
 * Throws what the driver failed with: as `DatabaseAway` where that is what it means.
 *
 * @param mayHaveRun - false where the connection broke in a transaction that was not asked to commit, so it is undone
 */
export function throwAway(error: Error & { readonly code?: string }, mayHaveRun = true): never {
  const said = error.code ?? error.message;
  if (said === movingState) throw new DatabaseAway(error, false);
  if (neverConnected.test(said)) throw new DatabaseAway(error, false);
  throw broken.test(said) ? new DatabaseAway(error, mayHaveRun) : error;
}

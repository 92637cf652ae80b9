import { DatabaseUnavailable } from "../../kernel/errors.ts";

/**
 * SQLSTATEs of failures that the statement does not cause: deadlocks, cancellations, broken connections, exhausted
 * resources, a server that stops or starts, a business that is being moved.
 */
const sqlStates = /^(40P01|40001|55P03|57014|08\w{3}|53\w{3}|57P0\w|RC001)$/;
const networkCodes = /^E[A-Z]{3,}$/;
/** Messages of the driver for errors without a code. */
const driverMessages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has )/;

/** Whether the database failed and not the work itself: the same work may succeed later. */
export function isDatabaseFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailable) return true;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return sqlStates.test(code) || networkCodes.test(code);
  return driverMessages.test(error.message);
}

/** Whether the server cancelled the statement, usually after the statement timeout. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "57014";

/** The SQLSTATE for a row with a unique key that another row already has. */
export const uniqueViolation = "23505";

/** The SQLSTATE with which our triggers refuse writes of a business that is being moved or was moved. */
export const movingState = "RC001";
/** The detail of an error with `movingState` if the cell refuses the writes for good, not only during a hold. */
export const hasLeft = "it has left this cell";

/** SQLSTATEs, codes and messages of a failed connection: no statement was sent. */
const neverConnected =
  /^(57P03|53300|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;
/** SQLSTATEs, codes and messages of a connection that broke. */
const broken =
  /^(08\w{3}|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT|Connection terminated|Query read timeout|Client (has|was) )/;

/**
 * Throws an error of the driver again: as `DatabaseUnavailable` if there was no connection, the connection broke or the
 * business is being moved.
 *
 * @param mayHaveRun - false if the connection broke before the commit: then nothing is stored
 */
export function rethrow(error: Error & { readonly code?: string }, mayHaveRun = true): never {
  const said = error.code ?? error.message;
  if (said === movingState) throw new DatabaseUnavailable(error, false);
  if (neverConnected.test(said)) throw new DatabaseUnavailable(error, false);
  throw broken.test(said) ? new DatabaseUnavailable(error, mayHaveRun) : error;
}

/** Whether PostgreSQL refused values that are invalid or break a constraint. Another attempt would fail, too. */
export const refusesValues = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(22|23|54)\w{3}$/.test(String(error.code));

/**
 * SQLSTATEs of trouble that has nothing to do with what a statement says: deadlocks and cancellations, broken
 * connections, exhausted resources, a server that stops or starts.
 */
const sqlStates = /^(40P01|40001|55P03|57014|08\w{3}|53\w{3}|57P0\w)$/;
/** What Node says of a network. */
const networkCodes = /^E[A-Z]{3,}$/;
/** What the driver says without any code. */
const driverMessages =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has )/;

/** Whether a failure is the database's own and may well be over by the next attempt. */
export function isOwnTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return sqlStates.test(code) || networkCodes.test(code);
  return driverMessages.test(error.message);
}

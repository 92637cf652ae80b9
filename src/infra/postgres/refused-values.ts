/**
 * SQLSTATEs of what a statement says and no second attempt changes: data that fits no column, a constraint that it
 * breaks, an entry that is too large for an index.
 */
const sqlStates = /^(22|23|54)\w{3}$/;

/** Whether the database refused what it was given, and would again. */
export function refusesValues(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return error instanceof Error && typeof code === "string" && sqlStates.test(code);
}

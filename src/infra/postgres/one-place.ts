import { randomUUID } from "node:crypto";
import type { Side } from "./moving/side.ts";

const tryLock = "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken";

/**
 * Throws if both connections lead to one schema of one database. Addresses may be written differently, so PostgreSQL
 * itself is asked: an advisory lock of one connection is refused to the other only in the same database.
 */
export async function requireTwoPlaces(one: Side, other: Side): Promise<void> {
  if (one.schema !== other.schema) return;
  const name = [`place ${randomUUID()}`];
  // The locks last for transactions, so that they also work behind a pooler.
  await one.rows("begin");
  await other.rows("begin");
  try {
    await one.rows(tryLock, name);
    const [there] = await other.rows<{ taken: boolean }>(tryLock, name);
    if (there?.taken) return;
  } finally {
    // Errors of the rollbacks are ignored: if a connection broke, the statement before has failed with a better error.
    await Promise.allSettled([one.rows("rollback"), other.rows("rollback")]);
  }
  throw new Error(
    `${one.cell} and ${other.cell} are one place: both lead to the schema ${one.schema} of the same database. Correct ` +
      "CELLS, for all processes and commands",
  );
}

import { randomUUID } from "node:crypto";
import type { Side } from "./moving/side.ts";

const tryLock = "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken";

/**
 * Throws if both connections lead to the same schema of the same database. Their addresses may differ even then, so
 * both connections try to take the same advisory lock: in one database, only one of them gets the lock.
 */
export async function requireTwoPlaces(one: Side, other: Side): Promise<void> {
  if (one.schema !== other.schema) return;
  const name = [`place ${randomUUID()}`];
  // Locks of a transaction also work behind a pooler.
  await one.rows("begin");
  await other.rows("begin");
  try {
    await one.rows(tryLock, name);
    const [there] = await other.rows<{ taken: boolean }>(tryLock, name);
    if (there?.taken) return;
  } finally {
    // Ignores errors here: if a connection broke, an earlier statement has already failed with a clearer error.
    await Promise.allSettled([one.rows("rollback"), other.rows("rollback")]);
  }
  throw new Error(
    `${one.cell} and ${other.cell} are one place: both lead to the schema ${one.schema} of the same database. Correct ` +
      "CELLS, for all processes and commands",
  );
}

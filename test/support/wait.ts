import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `check` every 10 ms until it returns a value other than false or undefined, and returns that value. An error of
 * `check` does not end the wait. After `deadlineMs`, throws an error whose cause is the last error of `check`.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  deadlineMs = 20_000,
): Promise<Exclude<Awaited<Result>, false | undefined>> {
  // The wall clock may be changed during the wait.
  const deadline = performance.now() + deadlineMs;
  let cause: unknown;
  do {
    try {
      const result = await check();
      if (result !== false && result !== undefined) return result as Exclude<Awaited<Result>, false | undefined>;
    } catch (error) {
      cause = error;
    }
    await sleep(10);
  } while (performance.now() < deadline);
  throw new Error(`not reached within ${deadlineMs} ms: ${check}`, { cause });
}

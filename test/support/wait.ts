import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until `check` returns something other than false or undefined, and returns it. If `check` throws, it is called
 * again; its last error is the cause of the error that is thrown after `deadlineMs`.
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

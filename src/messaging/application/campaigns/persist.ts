import type { Timing } from "./ports.ts";

/**
 * Does what the database must hear of, again and again until it does: once heard, doing it again changes nothing.
 * What it does not hear of for long is given up: leases run out, and the sweep writes down what is known then.
 */
export type Persist = (work: () => Promise<void>) => Promise<void>;

/** While the database is away, what is known waits for it so long, and less where the process is to end. */
const keepTryingMs = 30_000;
const keepTryingAtEndMs = 5_000;
const longestPauseMs = 1_000;

/** @param over - aborted once all is to end */
export const persisting =
  (timing: Timing, over: AbortSignal, onError: (error: unknown) => void): Persist =>
  async (work) => {
    const began = timing.now();
    for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        onError(error);
        const enoughMs = over.aborted ? keepTryingAtEndMs : keepTryingMs;
        if (timing.now() - began > enoughMs) return;
        await timing.sleep(pauseMs);
      }
    }
  };

/**
 * Work that comes again and again. The clock only says "look now": a tick may be lost, late, or run twice, even in
 * two processes at once, and none of that may do harm. What is to be done, and by whom, stands in the tables of the
 * work itself.
 */
export interface Tick {
  /** Stable and unique, such as `messages.settle`: log lines name it. */
  readonly name: string;
  /**
   * From the beginning of one run to the beginning of the next. A run that takes longer delays the next. A process
   * that takes the clock over runs every tick at once, for it does not know when the others did.
   */
  readonly everySeconds: number;
  /**
   * `signal` is aborted when the process stops and when the run has taken 30 s: end what is in flight, begin
   * nothing new and return. The next run takes up what is left. What it throws is logged; it comes again.
   */
  readonly run: (signal: AbortSignal) => unknown;
}

export const tick = (name: string, everySeconds: number, run: Tick["run"]): Tick => ({ name, everySeconds, run });

export interface Clock {
  /**
   * Resolves when the first attempt to reach the database has ended, at worst after a few seconds. A failed one
   * is repeated in the background until it succeeds.
   */
  start(): Promise<void>;
  /** Aborts the signals of running ticks and waits for them, 5 s at most. */
  stop(): Promise<void>;
}

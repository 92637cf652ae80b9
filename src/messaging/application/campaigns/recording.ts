import type { Timing, TriedRecipient } from "./ports.ts";

/** Writes outcomes to the database in the background. Each batch has all waiting outcomes, but at most `atMost`. */
export class Recording {
  private readonly waiting: TriedRecipient[] = [];
  private notRecorded = 0;
  private wentBack = false;
  private running: Promise<void> = Promise.resolve();

  /**
   * @param record - must not reject
   * @param atMost - outcomes in one batch
   * @param onRecorded - called after each batch
   */
  constructor(
    private readonly record: (tried: readonly TriedRecipient[]) => Promise<void>,
    private readonly atMost: number,
    private readonly onRecorded: () => void,
  ) {}

  note(tried: TriedRecipient): void {
    this.waiting.push(tried);
    this.notRecorded += 1;
    if (tried.state === "queued") this.wentBack = true;
    if (this.waiting.length === 1) this.running = this.running.then(() => this.recordAll());
  }

  get unrecorded(): number {
    return this.notRecorded;
  }

  /**
   * True if recording is too slow. Sending then has to wait: unrecorded outcomes need memory and are lost if the
   * process crashes.
   */
  get isBehind(): boolean {
    return this.notRecorded >= 2 * this.atMost;
  }

  /** True if a recipient went back to the queue and the last claim may have missed it. */
  get hasGivenBack(): boolean {
    return this.wentBack;
  }

  /** Call it before each claim. If all outcomes are recorded, the claim misses no recipient that went back. */
  beforeClaim(): void {
    if (this.notRecorded === 0) this.wentBack = false;
  }

  /** Resolves when all outcomes noted so far are recorded, or `record` gave up. */
  get ended(): Promise<void> {
    return this.running;
  }

  private async recordAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.atMost);
      await this.record(batch);
      this.notRecorded -= batch.length;
      this.onRecorded();
    }
  }
}

/**
 * Repeats an idempotent write until it succeeds, but gives up after a long outage. A recipient whose outcome was not
 * written becomes unknown when its lease expires, unless a delivery status has reported its state.
 */
export type Persist = (work: () => Promise<void>) => Promise<void>;

/** How long a write is repeated while the database is away; shorter once the drain has to end. */
const keepTryingMs = 30_000;
const keepTryingAtEndMs = 5_000;
const longestPauseMs = 1_000;

/** @param over - aborted when the drain has to end */
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

import type { Timing, TriedRecipient } from "./ports.ts";

/** What came of tries, on its way to the database: recorded in the background, as many at a time as there are by then. */
export class Recording {
  private readonly waiting: TriedRecipient[] = [];
  private notRecorded = 0;
  private wentBack = false;
  private running: Promise<void> = Promise.resolve();

  /**
   * @param record - does not reject
   * @param atMost - at a time
   * @param onRecorded - some were
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

  /** Recording does not keep up: what a death would leave unknown, and memory, must not grow with the campaign. */
  get isBehind(): boolean {
    return this.notRecorded >= 2 * this.atMost;
  }

  /** Something went back to the queue that the last claim may not have seen. */
  get hasGivenBack(): boolean {
    return this.wentBack;
  }

  /** To be told before each claim, which sees what is recorded by then. */
  beforeClaim(): void {
    if (this.notRecorded === 0) this.wentBack = false;
  }

  /** Resolves when all that was noted before is recorded. */
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

import { Pacer } from "../../domain/pacer.ts";
import type { Timing } from "./ports.ts";

/** Longer than an answer takes: what is under way now complains of the same. */
const pauseAfterSetbackMs = 500;
/** However long the platform asks to wait: it is tried again. */
const longestHoldMs = 10 * 60_000;

/** When a request of one number may begin: so many under way at a time, in its rate, and slower after a complaint. */
export class SendingSlots {
  /** The rate of the number. */
  readonly pacer: Pacer;
  private taken = 0;
  private waiters: (() => void)[] = [];

  /** @param over - aborted once nothing new is to begin; who waits is to be woken then */
  constructor(
    perSecond: number,
    private readonly concurrency: number,
    private readonly timing: Timing,
    private readonly over: AbortSignal,
  ) {
    this.pacer = new Pacer(perSecond, () => timing.now());
  }

  /** Requests under way. */
  get underWay(): number {
    return this.taken;
  }

  get areTaken(): boolean {
    return this.taken >= this.concurrency;
  }

  /** Waits for a slot and for the rate; false when that cannot be in time, or may not go. */
  async take(until: number, mayGo: () => boolean): Promise<boolean> {
    while (!this.over.aborted && mayGo()) {
      const leftMs = until - this.timing.now();
      if (leftMs <= 0) return false;
      if (this.areTaken) {
        await this.oneEnds();
        continue;
      }
      const waitMs = this.pacer.take();
      if (waitMs === 0) {
        this.taken += 1;
        return true;
      }
      if (waitMs > leftMs) return false;
      await this.timing.sleep(waitMs, this.over);
    }
    return false;
  }

  /** A request that took a slot is answered, or given up. */
  free(beganAt: number): void {
    this.taken -= 1;
    this.pacer.ended(beganAt);
    this.wake();
  }

  /** The platform said that it was too much, and perhaps how long to wait. */
  slowDown(retryAfterMs = 0): void {
    this.pacer.slowDown(Math.max(Math.min(retryAfterMs, longestHoldMs), pauseAfterSetbackMs));
  }

  /** Resolves when a request ends, when all is to end, and now and then: its callers look again. */
  oneEnds(): Promise<void> {
    return new Promise((resume) => this.waiters.push(resume));
  }

  /** Lets everybody who waits for a request to end look again. */
  wake(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }
}

import { Pacer } from "../../domain/pacer.ts";
import type { Timing } from "./ports.ts";

/** The shortest pause. Most requests take less time, so the refusals of requests that are open now fall into it. */
const pauseAfterSetbackMs = 500;
/** The longest pause, even if the platform asks for a longer one. */
const longestHoldMs = 10 * 60_000;

/**
 * Decides when one sender's next request may begin. That depends on the number of open requests, the sender's rate, and
 * the pauses that `slowDown` begins.
 */
export class SendingSlots {
  readonly pacer: Pacer;
  private taken = 0;
  private waiters: (() => void)[] = [];

  /** @param over - aborted when nothing new may begin; call `wake` then */
  constructor(
    perSecond: number,
    private readonly concurrency: number,
    private readonly timing: Timing,
    private readonly over: AbortSignal,
  ) {
    this.pacer = new Pacer(perSecond, () => timing.now());
  }

  /** The number of open requests. */
  get underWay(): number {
    return this.taken;
  }

  get areTaken(): boolean {
    return this.taken >= this.concurrency;
  }

  /**
   * Waits until a slot is free and the rate allows a request. False if `until` comes first, `mayGo` returns false, or
   * `over` is aborted.
   */
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

  /** Call it when a request with a slot was answered or given up. */
  free(beganAt: number): void {
    this.taken -= 1;
    this.pacer.ended(beganAt);
    this.wake();
  }

  /** @param retryAfterMs - the platform's requested wait, if it named one */
  slowDown(retryAfterMs = 0): void {
    this.pacer.slowDown(Math.max(Math.min(retryAfterMs, longestHoldMs), pauseAfterSetbackMs));
  }

  /** Resolves when a request ends or `wake` is called. Callers must check their condition again. */
  oneEnds(): Promise<void> {
    return new Promise((resume) => this.waiters.push(resume));
  }

  wake(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }
}

/** Things per second, at the least: a number that is over its rate is still tried now and then. */
const slowest = 0.5;
/** Seconds from a standstill back to the full rate, where nothing goes wrong meanwhile. */
const recoverySeconds = 10;

/**
 * Lets at most `perSecond` things begin in any second, spread evenly. What was not used is lost but for a
 * fiftieth of a second's worth, so that no second ever sees more than 2 % beyond the rate.
 */
export class Pacer {
  private readonly full: number;
  private tokens = 0;
  private since: number;
  /** Infinite while the other side has no complaint. */
  private slowedTo = Number.POSITIVE_INFINITY;
  private heldUntil = 0;

  /** @param now - milliseconds of a clock that never goes back */
  constructor(
    private perSecond: number,
    private readonly now: () => number,
  ) {
    this.full = perSecond;
    this.since = now();
  }

  /** Takes a turn: 0 when one may begin at once, else the milliseconds to wait before asking again. */
  take(): number {
    if (this.heldMs > 0) return this.heldMs;
    const now = this.now();
    const { rate } = this;
    const most = Math.max(1, rate * 0.02);
    this.tokens = Math.min(most, this.tokens + ((now - this.since) / 1_000) * rate);
    this.since = now;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 0;
    }
    return Math.max(1, ((1 - this.tokens) / rate) * 1_000);
  }

  /** Things per second that may begin now. */
  get rate(): number {
    return Math.max(slowest, Math.min(this.perSecond, this.slowedTo));
  }

  /** Milliseconds until anything may begin again after the other side complained; 0 when it may. */
  get heldMs(): number {
    return Math.max(0, Math.ceil(this.heldUntil - this.now()));
  }

  /** What else goes the same way goes first. */
  limit(perSecond: number): void {
    this.perSecond = perSecond;
  }

  /** The other side said that it was too much: half the rate, once for all that it says so of together. */
  slowDown(pauseMs: number): void {
    if (this.heldMs === 0) this.slowedTo = this.rate / 2;
    this.heldUntil = Math.max(this.heldUntil, this.now() + pauseMs);
    this.tokens = 0;
    this.since = this.heldUntil;
  }

  /** One went well: a step back towards the full rate, as long as the time that it took its turn for. */
  recover(): void {
    if (this.slowedTo === Number.POSITIVE_INFINITY) return;
    const rate = Math.max(slowest, this.slowedTo) + this.full / recoverySeconds / this.rate;
    this.slowedTo = rate >= this.full ? Number.POSITIVE_INFINITY : rate;
  }
}

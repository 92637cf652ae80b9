/**
 * Lets at most `perSecond` things begin in any second, spread evenly. What was not used is lost but for a
 * fiftieth of a second's worth, so that no second ever sees more than 2 % beyond the rate.
 */
export class Pacer {
  private tokens = 0;
  private since: number;
  private slowedTo: number;
  private heldUntil = 0;

  /** @param now - milliseconds of a clock that never goes back */
  constructor(
    private perSecond: number,
    private readonly now: () => number,
  ) {
    this.since = now();
    this.slowedTo = perSecond;
  }

  /** Takes a turn: 0 when one may begin at once, else the milliseconds to wait before asking again. */
  take(): number {
    const now = this.now();
    if (now < this.heldUntil) return Math.ceil(this.heldUntil - now);
    const rate = this.rate;
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
    return Math.max(0.5, Math.min(this.perSecond, this.slowedTo));
  }

  /** What else uses the number goes first. */
  limit(perSecond: number): void {
    this.perSecond = Math.max(0.5, perSecond);
  }

  /** The other side said that it was too much: half the rate, after a pause. */
  slowDown(pauseMs: number): void {
    this.slowedTo = Math.max(0.5, this.rate / 2);
    this.heldUntil = Math.max(this.heldUntil, this.now() + pauseMs);
    this.tokens = 0;
  }

  /** All went well for a while: back towards the full rate. */
  recover(): void {
    this.slowedTo = Math.min(Number.MAX_SAFE_INTEGER, this.slowedTo * 1.1 + 1);
  }
}

/** Things per second, at the least: a number that is over its rate is still tried now and then. */
const slowest = 0.5;
/** Seconds from a standstill back to the full rate, where nothing goes wrong meanwhile. */
const recoverySeconds = 10;
/** Of the rate: so that what the way there shifts about does not pass it in any second. */
const pace = 0.985;
/** Of a second's worth: what a late timer, or a process that stood still for a moment, may make up for. */
const burst = 0.1;
/** How much faster than the rate that goes: evenly all the same, since nobody knows arrivals to the millisecond. */
const catchUp = 1.5;
/** Of a second's worth, what may begin at once: no timer is finer. */
const atOnce = 0.005;
/** Of the rate: what may arrive in any second. The platforms' own counting is not that exact. */
const most = 1.01;
/** Of a second's worth, how much counts because it is not answered: what hangs must not stop a number. */
const mostUnderWay = 0.5;
const secondMs = 1_000;
/** Milliseconds for which the shortest way is remembered. */
const rememberedMs = 10_000;

/**
 * Lets things begin evenly, in such a way that no more than `perSecond` of them, and a hundredth, arrive in any second over
 * there, however much the way there shifts them about.
 *
 * Each arrives after it began and before its answer comes back. Answers take a while that is always the same and
 * something on top: that much later it may have arrived. It counts for a second from then on; until it is answered
 * it counts anyway.
 */
export class Pacer {
  private readonly full: number;
  /** What may begin by the rate, and what may begin just now. */
  private tokens = 0;
  private ready = 0;
  private since: number;
  /** Infinite while the other side has no complaint. */
  private slowedTo = Number.POSITIVE_INFINITY;
  private heldUntil = 0;
  private underWay = 0;
  /** When those that are answered may have arrived at the latest, about in order, from `first` on. */
  private arrivals: number[] = [];
  private first = 0;
  private readonly shortest: Shortest;

  /** @param now - milliseconds of a clock that never goes back */
  constructor(
    private perSecond: number,
    private readonly now: () => number,
  ) {
    this.full = perSecond;
    this.since = now();
    this.shortest = new Shortest(this.since);
  }

  /** Takes a turn: 0 when one may begin at once, else the milliseconds to wait before asking again. */
  take(): number {
    if (this.heldMs > 0) return this.heldMs;
    const now = this.now();
    const rate = this.rate * pace;
    const passed = ((now - this.since) / secondMs) * rate;
    this.tokens = Math.min(1 + rate * burst, this.tokens + passed);
    this.ready = Math.min(1 + rate * atOnce, this.ready + passed * catchUp);
    this.since = now;
    const missing = Math.max(1 - this.tokens, (1 - this.ready) / catchUp);
    if (missing > 0) return Math.max(1, (missing / rate) * secondMs);
    const full = this.fullMs(now);
    if (full > 0) return full;
    this.tokens -= 1;
    this.ready -= 1;
    this.underWay += 1;
    return 0;
  }

  /** One that took its turn is answered, or given up. */
  ended(beganAt: number): void {
    const now = this.now();
    this.underWay -= 1;
    const tookMs = now - beganAt;
    this.arrivals.push(beganAt + tookMs - this.shortest.with(tookMs, now));
  }

  /** Milliseconds until another one may arrive within the last second; 0 when one may. */
  private fullMs(now: number): number {
    while ((this.arrivals[this.first] ?? now) <= now - secondMs) this.first += 1;
    if (this.first > secondMs) {
      this.arrivals = this.arrivals.slice(this.first);
      this.first = 0;
    }
    const underWay = Math.min(this.underWay, this.rate * mostUnderWay);
    const inTheSecond = this.arrivals.length - this.first + underWay;
    if (inTheSecond < Math.max(1, Math.floor(this.rate * most))) return 0;
    const next = this.arrivals[this.first];
    return next === undefined ? 1 : Math.max(1, next + secondMs - now);
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
    this.ready = 0;
    this.since = this.heldUntil;
  }

  /** One went well: a step back towards the full rate, as long as the time that it took its turn for. */
  recover(): void {
    if (this.slowedTo === Number.POSITIVE_INFINITY) return;
    const rate = Math.max(slowest, this.slowedTo) + this.full / recoverySeconds / this.rate;
    this.slowedTo = rate >= this.full ? Number.POSITIVE_INFINITY : rate;
  }
}

/** The shortest of what was seen lately; 0 in the first second, in which connections are made and nothing is usual. */
class Shortest {
  private current = Number.POSITIVE_INFINITY;
  private previous = 0;
  private rememberMs = secondMs;

  constructor(private since: number) {}

  with(value: number, now: number): number {
    if (now - this.since > this.rememberMs) {
      this.previous = this.current;
      this.current = Number.POSITIVE_INFINITY;
      this.since = now;
      this.rememberMs = rememberedMs;
    }
    this.current = Math.min(this.current, value);
    return Math.min(this.current, this.previous);
  }
}

/** The lowest rate, per second: a sender that exceeded its rate is still tried from time to time. */
const slowest = 0.5;
/** Seconds in which the rate rises from the lowest to the full one, if nothing slows it down meanwhile. */
const recoverySeconds = 10;
/** Share of the rate that is used. The reserve keeps every second within the rate even if network delays vary. */
const pace = 0.985;
/** After a late timer or a pause of the process, the sender catches up by at most this share of a second's requests. */
const burst = 0.1;
/**
 * While a sender catches up, it sends at this multiple of the rate. The requests stay evenly spaced, because their
 * arrival times are not known exactly.
 */
const catchUp = 1.5;
/** Share of one second's requests that may begin together, because timers are not precise enough to space them. */
const atOnce = 0.005;
/** At most this multiple of the rate may arrive in any second. The platforms do not count more precisely than this. */
const most = 1.01;
/** Unanswered requests together count as at most this share of a second's requests, so hanging ones stop no sender. */
const mostUnderWay = 0.5;
const secondMs = 1_000;
/** Milliseconds of one period. `Shortest` considers the answer times of the present and of the previous period. */
const rememberedMs = 10_000;

/**
 * Spaces requests evenly, so that at most `perSecond` requests plus one percent arrive at the platform in any second,
 * even if network delays are uneven.
 * The arrival time of a request is not known. Its latest possible arrival is taken to be the time of its answer minus
 * the shortest recent answer time. A request counts until one second after its latest possible arrival. Unanswered
 * requests count too.
 */
export class Pacer {
  private readonly full: number;
  /** `tokens`: requests that the rate allows. `ready`: requests that the even spacing allows now. */
  private tokens = 0;
  private ready = 0;
  private since: number;
  /** The rate after `slowDown`, in requests per second; infinite while the sender is not slowed down. */
  private slowedTo = Number.POSITIVE_INFINITY;
  private heldUntil = 0;
  private underWay = 0;
  /** Latest possible arrival times of answered requests, roughly sorted; those before index `first` do not count. */
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

  /** Returns 0 if a request may begin now, else the milliseconds after which to ask again. */
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

  /** To be called when a request was answered or given up. */
  ended(beganAt: number): void {
    const now = this.now();
    this.underWay -= 1;
    const tookMs = now - beganAt;
    this.arrivals.push(beganAt + tookMs - this.shortest.with(tookMs, now));
  }

  /** Milliseconds until one more request fits into the limit of requests per second; 0 if it fits now. */
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

  /** The present rate, in requests per second. */
  get rate(): number {
    return Math.max(slowest, Math.min(this.perSecond, this.slowedTo));
  }

  /** Milliseconds until the pause of `slowDown` ends; 0 if there is no pause. */
  get heldMs(): number {
    return Math.max(0, Math.ceil(this.heldUntil - this.now()));
  }

  /** Limits the rate. The limit is lower while the business also sends directly, because direct sends go first. */
  limit(perSecond: number): void {
    this.perSecond = perSecond;
  }

  /** Halves the rate and pauses. Calls during the pause do not halve the rate again, but may lengthen the pause. */
  slowDown(pauseMs: number): void {
    if (this.heldMs === 0) this.slowedTo = this.rate / 2;
    this.heldUntil = Math.max(this.heldUntil, this.now() + pauseMs);
    this.tokens = 0;
    this.ready = 0;
    this.since = this.heldUntil;
  }

  /** Raises the rate by one step towards the full rate. Called after each request that gave no reason to slow down. */
  recover(): void {
    if (this.slowedTo === Number.POSITIVE_INFINITY) return;
    const rate = Math.max(slowest, this.slowedTo) + this.full / recoverySeconds / this.rate;
    this.slowedTo = rate >= this.full ? Number.POSITIVE_INFINITY : rate;
  }
}

/** The shortest recent answer time. It is 0 in the first second, because connecting makes the first answers slow. */
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

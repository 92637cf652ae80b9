/** The lowest rate, per second: a sender that exceeded its rate is still tried from time to time. */
const slowest = 0.5;
/** Seconds from the lowest to the full rate, if nothing fails meanwhile. */
const recoverySeconds = 10;
/** Share of the rate that is used, so that no second exceeds the rate if the network's delays are uneven. */
const pace = 0.985;
/** After a late timer or a short pause of the process, this share of one second's requests may be sent late. */
const burst = 0.1;
/**
 * Late requests are sent this many times faster than the rate. They stay evenly spaced, because arrival times are not
 * known exactly.
 */
const catchUp = 1.5;
/** Share of one second's requests that may begin together, because timers are not precise enough to space them. */
const atOnce = 0.005;
/** Share of the rate that may arrive in any second. The platforms do not count more precisely than this. */
const most = 1.01;
/** Share of one second's requests that unanswered requests may use up: hanging requests must not stop a sender. */
const mostUnderWay = 0.5;
const secondMs = 1_000;
/** Milliseconds of a period. The shortest answer time of the present period and of the one before counts. */
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
  /** Requests per second after the platform asked to slow down; infinite once the full rate is reached again. */
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

  /** Milliseconds until one more request can begin without exceeding the limit of a second; 0 if it can now. */
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

  /** Requests per second that may begin at present. */
  get rate(): number {
    return Math.max(slowest, Math.min(this.perSecond, this.slowedTo));
  }

  /** Milliseconds until requests may begin again after the platform asked to slow down; 0 if they may now. */
  get heldMs(): number {
    return Math.max(0, Math.ceil(this.heldUntil - this.now()));
  }

  /** Sets the rate. It is lower while the business also sends directly, because direct sends go first. */
  limit(perSecond: number): void {
    this.perSecond = perSecond;
  }

  /** The platform asked to slow down: halves the rate, once for all answers that arrive during the pause. */
  slowDown(pauseMs: number): void {
    if (this.heldMs === 0) this.slowedTo = this.rate / 2;
    this.heldUntil = Math.max(this.heldUntil, this.now() + pauseMs);
    this.tokens = 0;
    this.ready = 0;
    this.since = this.heldUntil;
  }

  /** A request succeeded: raises the rate by one step towards the full rate. */
  recover(): void {
    if (this.slowedTo === Number.POSITIVE_INFINITY) return;
    const rate = Math.max(slowest, this.slowedTo) + this.full / recoverySeconds / this.rate;
    this.slowedTo = rate >= this.full ? Number.POSITIVE_INFINITY : rate;
  }
}

/** The shortest recent answer time; 0 in the first second, as connecting makes those answers slower than usual. */
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

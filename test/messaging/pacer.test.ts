import { expect } from "chai";
import fc from "fast-check";
import { Pacer } from "../../src/messaging/domain/pacer.ts";

/** Milliseconds from a request's beginning to its arrival, and from its arrival to its answer. */
interface Way {
  readonly there: number;
  readonly back: number;
}

/** Sends like the service: waits as long as the pacer demands, and then `lateness` milliseconds longer. */
class Run {
  readonly turns: number[] = [];
  readonly arrived: number[] = [];
  private answers: { readonly at: number; readonly beganAt: number }[] = [];
  now = 1_000;
  readonly pacer: Pacer;

  constructor(
    readonly rate: number,
    private readonly lateness: () => number = () => 0,
    private readonly way: () => Way = () => ({ there: 0, back: 0 }),
  ) {
    this.pacer = new Pacer(rate, () => this.now);
  }

  for(ms: number): this {
    const end = this.now + ms;
    while (this.now < end) {
      const wait = this.pacer.take();
      if (wait === 0) this.begin();
      else this.passTo(this.now + wait + this.lateness());
    }
    return this;
  }

  private begin(): void {
    const beganAt = this.now;
    const { there, back } = this.way();
    this.turns.push(beganAt);
    this.arrived.push(beganAt + there);
    this.answers.push({ at: beganAt + there + back, beganAt });
    this.passTo(this.now);
  }

  private passTo(then: number): void {
    const due = this.answers.filter(({ at }) => at <= then).sort((one, other) => one.at - other.at);
    this.answers = this.answers.filter(({ at }) => at > then);
    for (const { at, beganAt } of due) {
      this.now = at;
      this.pacer.ended(beganAt);
    }
    this.now = then;
  }

  between(from: number, to: number): number {
    return this.turns.filter((at) => at >= from && at < to).length;
  }

  /** The largest number of arrivals within 1,000 ms. */
  get fullestSecond(): number {
    const arrived = this.arrived.toSorted((one, other) => one - other);
    let first = 0;
    return arrived.reduce((most, at, last) => {
      while ((arrived[first] ?? at) <= at - 1_000) first += 1;
      return Math.max(most, last - first + 1);
    }, 0);
  }
}

const rates = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 200, max: 2_000 }));
const mostInASecond = (rate: number): number => Math.max(rate * 1.02, rate + 1);

describe("the pace of a number", () => {
  it("exceeds the rate by at most 2 % in any second, however irregular the requests are", () => {
    const delays = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3_000, noNaN: true })), { minLength: 1 });
    fc.assert(
      fc.property(rates, delays, (rate, pauses) => {
        let n = 0;
        const run = new Run(rate, () => pauses[n++ % pauses.length] ?? 0).for(5_000);
        expect(run.fullestSecond).to.be.at.most(mostInASecond(rate));
      }),
      { numRuns: 60 },
    );
  });

  it("exceeds the rate by at most 1 % at the platform, however irregular the network is", () => {
    const jitter = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 200, noNaN: true })), { minLength: 1 });
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 2_000 }),
        fc.integer({ min: 0, max: 200 }),
        jitter,
        (rate, least, later) => {
          let n = 0;
          // The first 20 requests arrive without delay, so that the pacer knows the shortest answer time.
          const way = () => ({ there: n++ < 20 ? 0 : (later[n % later.length] ?? 0), back: least });
          const run = new Run(rate, () => 1, way).for(5_000);
          expect(run.fullestSecond).to.be.at.most(Math.ceil(rate * 1.01));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("reaches at least 96 % of the rate, however long answers take", () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 400 }), (rate, latency) => {
        const run = new Run(
          rate,
          () => 1,
          () => ({ there: latency / 2, back: latency / 2 }),
        ).for(12_000);
        // The first two seconds do not count, because the duration of answers is unknown at the beginning.
        expect(run.between(3_000, 13_000)).to.be.at.least(rate * 10 * 0.96 - 1);
      }),
      { numRuns: 40 },
    );
  });

  it("continues at half the rate or more if no answers come", () => {
    const run = new Run(
      100,
      () => 0,
      () => ({ there: 0, back: Number.POSITIVE_INFINITY }),
    );
    expect(run.for(10_000).turns.length).to.be.at.least(500);
  });

  it("starts without saved turns, so that two in a row on one number keep its rate together", () => {
    const run = new Run(100);
    expect(run.pacer.take()).to.be.greaterThan(0);
    run.now += 60_000;
    expect(run.for(1_000).fullestSecond).to.be.at.most(102);
  });

  it("halves the rate after a pause, and is back within ten seconds without complaints", () => {
    const run = new Run(100);
    run.for(1_000);
    run.pacer.slowDown(500);
    expect(run.pacer.heldMs).to.equal(500);
    expect(run.pacer.take()).to.equal(500);
    expect(run.pacer.rate).to.equal(50);
    const from = run.now;
    run.for(1_500);
    expect(run.between(from, from + 500)).to.equal(0);
    expect(run.between(from + 500, from + 1_500)).to.be.within(45, 51);

    let successes = 0;
    for (; run.pacer.rate < 100 && successes < 10_000; successes += 1) run.pacer.recover();
    // From 50 to 100, the rate grows by 10 a second. In these five seconds, about 375 messages are sent.
    expect(successes).to.be.within(200, 500);
    run.pacer.recover();
    expect(run.pacer.rate).to.equal(100);
  });

  it("counts simultaneous complaints as one", () => {
    const run = new Run(100);
    for (let n = 0; n < 50; n += 1) run.pacer.slowDown(1_000);
    expect(run.pacer.rate).to.equal(50);
  });

  it("waits as long as the longest complaint requests", () => {
    const run = new Run(100);
    run.pacer.slowDown(5_000);
    run.pacer.slowDown(1_000);
    expect(run.pacer.heldMs).to.equal(5_000);
  });

  it("never stops for good after any number of complaints", () => {
    const run = new Run(80);
    for (let n = 0; n < 100; n += 1) {
      run.pacer.slowDown(1_000);
      run.now += 1_001;
    }
    expect(run.pacer.rate).to.equal(0.5);
    const from = run.now;
    expect(run.for(10_000).between(from, from + 10_000)).to.be.at.least(4);
  });

  it("leaves room for direct messages of the number", () => {
    const run = new Run(80);
    run.pacer.limit(30);
    expect(run.for(10_000).turns.length).to.be.within(285, 300);
    run.pacer.limit(-20);
    expect(run.pacer.rate).to.equal(0.5);
    run.pacer.limit(80);
    expect(run.pacer.rate).to.equal(80);
  });
});

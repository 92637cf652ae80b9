import { expect } from "chai";
import fc from "fast-check";
import { Pacer } from "../../src/messaging/domain/pacer.ts";

/** Asks for turns as a sender does: waits as long as it is told, a little longer now and then. */
class Run {
  readonly turns: number[] = [];
  now = 1_000;
  readonly pacer: Pacer;

  constructor(
    readonly rate: number,
    private readonly lateness: () => number = () => 0,
  ) {
    this.pacer = new Pacer(rate, () => this.now);
  }

  for(ms: number): this {
    const end = this.now + ms;
    while (this.now < end) {
      const wait = this.pacer.take();
      if (wait === 0) this.turns.push(this.now);
      else this.now += wait + this.lateness();
    }
    return this;
  }

  between(from: number, to: number): number {
    return this.turns.filter((at) => at >= from && at < to).length;
  }

  /** The most turns that began within any 1,000 ms. */
  get fullestSecond(): number {
    let first = 0;
    return this.turns.reduce((most, at, last) => {
      while ((this.turns[first] ?? at) <= at - 1_000) first += 1;
      return Math.max(most, last - first + 1);
    }, 0);
  }
}

const rates = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 200, max: 2_000 }));
const mostInASecond = (rate: number): number => Math.max(rate * 1.02, rate + 1);

describe("the pace of a number", () => {
  it("lets no second see more than 2 % beyond the rate, however late it is asked", () => {
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

  it("gives at least 95 % of the rate to whoever asks in time", () => {
    fc.assert(
      fc.property(rates, (rate) => {
        const run = new Run(rate).for(10_000);
        expect(run.turns.length).to.be.at.least(rate * 10 * 0.95 - 1);
      }),
      { numRuns: 40 },
    );
  });

  it("begins with nothing saved up, so that two in a row on one number keep its rate together", () => {
    const run = new Run(100);
    expect(run.pacer.take()).to.be.greaterThan(0);
    run.now += 60_000;
    expect(run.for(1_000).fullestSecond).to.be.at.most(102);
  });

  it("halves the rate after a pause, and is back within ten seconds of nothing but success", () => {
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
    // From half to all at half the rate and more: five seconds' worth of messages.
    expect(successes).to.be.within(200, 500);
    run.pacer.recover();
    expect(run.pacer.rate).to.equal(100);
  });

  it("counts complaints that come together as one", () => {
    const run = new Run(100);
    for (let n = 0; n < 50; n += 1) run.pacer.slowDown(1_000);
    expect(run.pacer.rate).to.equal(50);
  });

  it("waits as long as the longest complaint asks", () => {
    const run = new Run(100);
    run.pacer.slowDown(5_000);
    run.pacer.slowDown(1_000);
    expect(run.pacer.heldMs).to.equal(5_000);
  });

  it("never stands still for good: after any number of complaints it is tried again", () => {
    const run = new Run(80);
    for (let n = 0; n < 100; n += 1) {
      run.pacer.slowDown(1_000);
      run.now += 1_001;
    }
    expect(run.pacer.rate).to.equal(0.5);
    const from = run.now;
    expect(run.for(10_000).between(from, from + 10_000)).to.be.at.least(4);
  });

  it("lets what goes the same way go first", () => {
    const run = new Run(80);
    run.pacer.limit(30);
    expect(run.for(10_000).turns.length).to.be.within(285, 300);
    run.pacer.limit(-20);
    expect(run.pacer.rate).to.equal(0.5);
    run.pacer.limit(80);
    expect(run.pacer.rate).to.equal(80);
  });
});

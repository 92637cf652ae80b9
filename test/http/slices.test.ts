import { expect } from "chai";
import { Slices } from "../../src/infra/http/slices.ts";
import { eventually } from "../support/wait.ts";

describe("Slices", () => {
  const busyMs = 3;
  const work = (done: string[], name: string) => () => {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    done.push(name);
  };

  it("starts a few requests at once", async () => {
    // A busy machine may stop the process for longer than a slice, so the test tries again.
    await eventually(() => {
      const slices = new Slices<string>();
      const done: string[] = [];
      for (const name of ["1", "2"]) slices.run("a", () => done.push(name));
      return done.length === 2;
    });
  });

  it("lets the event loop run during a burst, and starts all requests in the end", async () => {
    const slices = new Slices<string>();
    const done: string[] = [];
    for (let n = 0; n < 20; n += 1) slices.run("a", work(done, String(n)));
    expect(done.length).to.be.below(20);
    let turns = 0;
    const count = () => {
      turns += 1;
      if (done.length < 20) setImmediate(count);
    };
    setImmediate(count);
    await eventually(() => done.length === 20);
    expect(turns).to.be.above(2);
    expect(done).to.deep.equal(Array.from({ length: 20 }, (_, n) => String(n)));
  });

  it("lets keys take turns, so that a request does not wait for hundreds of another key", async () => {
    const slices = new Slices<string>();
    const done: string[] = [];
    for (let n = 0; n < 40; n += 1) slices.run("many", work(done, "many"));
    slices.run("one", work(done, "one"));
    await eventually(() => done.includes("one"));
    expect(done.length).to.be.below(15);
    await eventually(() => done.length === 41);
  });

  it("begins a waiting request after the promises of the one before it", async () => {
    const slices = new Slices<string>();
    let begun = 0;
    let queued = 0;
    const ahead: number[] = [];
    const request = async () => {
      ahead.push(begun - queued);
      begun += 1;
      work([], "")();
      for (let n = 0; n < 5; n += 1) await undefined;
      queued += 1;
    };
    for (let n = 0; n < 20; n += 1) slices.run("a", () => void request());
    await eventually(() => queued === 20);
    // The first requests begin within the caller's turn, before any promise can continue, so they are left out.
    expect(ahead.slice(5)).to.deep.equal(Array.from({ length: 15 }, () => 0));
  });
});

import { expect } from "chai";
import { nextTurn } from "../../src/kernel/turns.ts";

/** Keeps the thread busy. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe("paced work", () => {
  it("stops after a few milliseconds, and goes on in turns with other paced work", async () => {
    const log: string[] = [];
    let isOver = false;
    const others = () => {
      log.push("-");
      if (!isOver) setImmediate(others);
    };
    setImmediate(others);
    const paced = async (name: string) => {
      for (let step = 0; step < 3; step += 1) {
        await nextTurn();
        log.push(name);
        work(5);
      }
    };
    await Promise.all([paced("a"), paced("b")]);
    isOver = true;
    // `a` and `b` both begin in the first turn. After that, `others` runs at least once between two of their steps.
    expect(log.join("").replaceAll(/-+/g, "-")).to.match(/^-?ab-a-b-a-b-?$/);
  });

  it("goes on at once while there is time", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(nextTurn()).to.equal(undefined);
    expect(nextTurn()).to.equal(undefined);
  });
});

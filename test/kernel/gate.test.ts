import { expect } from "chai";
import { Gate } from "../../src/kernel/gate.ts";

describe("Gate", () => {
  it("lets so many run at a time, the others in their order, and goes on after failures", async () => {
    const gate = new Gate(2);
    const began: number[] = [];
    let running = 0;
    let most = 0;
    const work = (number: number) => async () => {
      began.push(number);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      if (number % 2 === 0) throw new Error(`${number}`);
      return number;
    };
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((number) => gate.pass(work(number))));
    expect(results.map(({ status }) => status === "fulfilled")).to.deep.equal([true, false, true, false, true, false]);
    expect(began).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(most).to.equal(2);
    expect(await gate.pass(work(7))).to.equal(7);
  });
});

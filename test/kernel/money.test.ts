import { expect } from "chai";
import fc from "fast-check";
import { decimalOf, moneyOf, numberOf } from "../../src/kernel/money.ts";

describe("an amount of money", () => {
  it("is read and written exactly", () => {
    fc.assert(fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (n) => moneyOf(decimalOf(n)) === n));
    expect(["0", "0.1", "12.5", "12.50", "-0.05", "3.1400"].map(moneyOf)).to.deep.equal([
      0n,
      10n,
      1250n,
      1250n,
      -5n,
      314n,
    ]);
  });

  it("is 0.3 as a number for 0.1 + 0.2, without binary rounding", () => {
    expect(numberOf(moneyOf("0.1") + moneyOf("0.2"))).to.equal(0.3);
  });

  it("is refused with more than two decimals and in other forms", () => {
    for (const wrong of ["", "1e3", "1.005", "1.", ".5", "--1", "NaN"])
      expect(() => moneyOf(wrong)).to.throw(RangeError);
  });
});

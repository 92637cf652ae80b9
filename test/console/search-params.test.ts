import { expect } from "chai";
import { idParam } from "../../console/src/shared/search-params.ts";

describe("the console's search parameters", () => {
  it("take positive numbers as ids, and nothing that only converts to one", () => {
    expect([7, "7"].map(idParam)).to.deep.equal([7, 7]);
    for (const other of [true, [7], ["7"], null, undefined, {}, "", "x", 0, -1, 1.5, 2 ** 53]) {
      expect(idParam(other), JSON.stringify(other)).to.equal(undefined);
    }
  });
});

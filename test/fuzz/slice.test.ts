import { expect } from "chai";
import { type FuzzReport, fuzz } from "./fuzz.ts";

/** A few fixed requests; `make fuzz` sends more. */
describe("fuzzed requests", () => {
  let report: FuzzReport;
  before(async () => {
    report = await fuzz({ seed: 7, runs: 300, seconds: 40, perRoute: 3, role: "api" });
  });

  it("is answered as documented, fails only where the specification wants it, and stays with its business", () => {
    expect(report.findings).to.deep.equal([]);
    expect(report.requests).to.be.above(50);
  });
});

import { expect } from "chai";
import { instantOf, namesZone, timezoneOf } from "../../src/kernel/instants.ts";

describe("moments as callers write them", () => {
  it("name a zone by Z or an offset behind a time, and by nothing else", () => {
    for (const text of [
      "2026-05-04T18:30Z",
      " 2026-05-04 18:30:00.5z",
      "2026-05-04T18:30-04:00",
      "2026-05-04T18:30+0200",
    ]) {
      expect(namesZone(text), text).to.equal(true);
    }
    for (const text of ["2026-01-02", "2026-01-02T10:00", "2026-01-02 10:00:00.5", "2026-01-02-04:00", "Z", ""]) {
      expect(namesZone(text), text).to.equal(false);
    }
  });

  it("are in the business's zone, or in that of La Paz where it names none that exists", () => {
    expect(timezoneOf("Europe/Madrid")).to.equal("Europe/Madrid");
    for (const unknown of [null, "", "Marte/Olimpo"]) expect(timezoneOf(unknown)).to.equal("America/La_Paz");
    expect(instantOf("2026-07-04T18:30", timezoneOf(""))?.toISOString()).to.equal("2026-07-04T22:30:00.000Z");
  });
});

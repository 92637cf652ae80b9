import { expect } from "chai";
import { dayIn, momentOf, startOfDay } from "../../console/src/shared/time.ts";
import { instantOf } from "../../src/kernel/instants.ts";

describe("the console's clock", () => {
  it("begins a day at its first instant where clocks skip midnight", () => {
    expect(startOfDay("2026-09-06", "America/Santiago")).to.equal("2026-09-06T04:00:00.000Z");
    expect(startOfDay("2026-03-07", "America/Havana", 1)).to.equal("2026-03-08T05:00:00.000Z");
    expect(startOfDay("2026-09-05", "America/Santiago")).to.equal("2026-09-05T04:00:00.000Z");
    expect(startOfDay("2026-09-07", "America/Santiago")).to.equal("2026-09-07T03:00:00.000Z");
  });

  it("reads local times as the service does, also while clocks change", () => {
    for (const [zone, day] of [
      ["America/La_Paz", "2026-06-01"],
      ["America/Santiago", "2026-04-04"],
      ["America/Santiago", "2026-09-06"],
      ["America/Havana", "2026-03-08"],
      ["America/Havana", "2026-11-01"],
      ["Europe/Madrid", "2026-03-29"],
      ["Europe/Madrid", "2026-10-25"],
      ["Australia/Lord_Howe", "2026-04-05"],
      ["Asia/Tokyo", "2026-06-01"],
    ] as const) {
      for (let half = 0; half < 48; half += 1) {
        const wall = `${day}T${String(Math.floor(half / 2)).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`;
        expect(momentOf(wall, zone), `${wall} in ${zone}`).to.equal(instantOf(wall, zone)?.toISOString());
      }
    }
  });

  it("counts days by the calendar, not by 24 hours", () => {
    const now = Date.now;
    const sixDaysBefore = (instant: string): string => {
      Date.now = () => Date.parse(instant);
      return dayIn("America/Santiago", 6);
    };
    try {
      // 23:30 on April 6 in Santiago, where the clocks went back two days before.
      expect(sixDaysBefore("2026-04-07T03:30:00Z")).to.equal("2026-03-31");
      // 00:30 on September 8 in Santiago, where the clocks went forward two days before.
      expect(sixDaysBefore("2026-09-08T03:30:00Z")).to.equal("2026-09-02");
    } finally {
      Date.now = now;
    }
  });
});

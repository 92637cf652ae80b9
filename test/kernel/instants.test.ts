import { expect } from "chai";
import { dayOf, instantOf, namesZone, timezoneOf } from "../../src/kernel/instants.ts";

const inUtc = (text: string, zone: string, endOfDay = false) => instantOf(text, zone, endOfDay)?.toISOString();

describe("a date and time without a zone", () => {
  const cases: [what: string, text: string, zone: string, at: string][] = [
    ["is the time of clocks in the zone", "2026-03-10T10:00", "America/La_Paz", "2026-03-10T14:00:00.000Z"],
    ["is the beginning of its day", "2026-03-10", "Asia/Kathmandu", "2026-03-09T18:15:00.000Z"],
    ["follows summer time", "2026-07-01", "Europe/Madrid", "2026-06-30T22:00:00.000Z"],
    [
      "is the first of two times when clocks are put back",
      "2026-10-25T02:30",
      "Europe/Madrid",
      "2026-10-25T00:30:00.000Z",
    ],
    ["continues after the gap if clocks skip it", "2026-03-29T02:30", "Europe/Madrid", "2026-03-29T01:30:00.000Z"],
    [
      "continues after the gap also west of Greenwich",
      "2026-03-08T02:30",
      "America/New_York",
      "2026-03-08T07:30:00.000Z",
    ],
    ["is the first moment of a day without midnight", "2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z"],
    ["is the first of two midnights", "2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z"],
  ];
  for (const [what, text, zone, at] of cases) it(what, () => expect(inUtc(text, zone)).to.equal(at));

  it("ends a day with its last millisecond, also before a day without midnight", () => {
    expect(inUtc("2026-09-05", "America/Santiago", true)).to.equal("2026-09-06T03:59:59.999Z");
    expect(inUtc("2026-10-25", "Europe/Madrid", true)).to.equal("2026-10-25T22:59:59.999Z");
  });

  it("is at most the end of the year 9999 in UTC", () => {
    const latest = "9999-12-31T23:59:59.999Z";
    expect(inUtc("9999-12-31", "America/La_Paz", true)).to.equal(latest);
    expect(inUtc("9999-12-31T23:00:00", "America/La_Paz")).to.equal(latest);
    expect(inUtc("9999-12-31T23:59:59-12:00", "UTC")).to.equal(latest);
    expect(inUtc("9999-12-31T20:00:00-03:00", "UTC")).to.equal("9999-12-31T23:00:00.000Z");
  });

  it("is at least the beginning of the year 1 in UTC, and keeps years below 100", () => {
    const earliest = "0001-01-01T00:00:00.000Z";
    expect(inUtc("0001-01-01", "Asia/Tokyo")).to.equal(earliest);
    expect(inUtc("0001-01-01T00:00:00+09:00", "UTC")).to.equal(earliest);
    expect(inUtc("0001-01-01", "UTC")).to.equal(earliest);
    expect(inUtc("0099-03-01", "UTC")).to.equal("0099-03-01T00:00:00.000Z");
    expect(inUtc("0004-02-29", "America/La_Paz")).to.match(/^0004-02-29T04:3/);
    expect(instantOf("0000-12-31", "UTC")).to.equal(null);
  });

  it("is null if the date is impossible, and exact if it has an offset", () => {
    for (const none of ["2026-02-30", "2026-13-01", "2026-01-01T25:00", "mañana", ""]) {
      expect(instantOf(none, "America/La_Paz")).to.equal(null);
    }
    expect(inUtc("2026-03-10T10:00:00.5-03:00", "America/La_Paz")).to.equal("2026-03-10T13:00:00.500Z");
  });
});

describe("the day of a moment", () => {
  it("is the day of a calendar in the zone", () => {
    const at = new Date("2026-09-06T03:59:59.999Z");
    expect(dayOf(at, "America/Santiago")).to.equal("2026-09-05");
    expect(dayOf(new Date(at.getTime() + 1), "America/Santiago")).to.equal("2026-09-06");
    expect(dayOf(new Date("0999-01-01T12:00:00Z"), "UTC")).to.equal("0999-01-01");
  });
});

describe("the zone of a business", () => {
  it("is its own one if it exists, or else the default", () => {
    for (const zone of ["Europe/Madrid", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "UTC"]) {
      expect(timezoneOf(zone)).to.equal(zone);
    }
    for (const none of [null, undefined, 5, "", "Marte/Olimpo", "+03:00"]) {
      expect(timezoneOf(none)).to.equal("America/La_Paz");
    }
  });
});

describe("a time as callers write it", () => {
  it("has a zone only with Z or an offset after the time", () => {
    for (const text of [
      "2026-05-04T18:30Z",
      " 2026-05-04 18:30:00.5z",
      "2026-05-04T18:30-04:00",
      "2026-05-04T18:30+0200",
      "2026-05-04T18:30-04",
    ]) {
      expect(namesZone(text), text).to.equal(true);
    }
    for (const text of ["2026-01-02", "2026-01-02T10:00", "2026-01-02 10:00:00.5", "2026-01-02-04:00", "Z", ""]) {
      expect(namesZone(text), text).to.equal(false);
    }
  });

  it("is only valid with an offset that exists", () => {
    expect(inUtc("2026-03-10T10:00+14:00", "UTC")).to.equal("2026-03-09T20:00:00.000Z");
    expect(inUtc("2026-03-10T10:00-04", "UTC")).to.equal("2026-03-10T14:00:00.000Z");
    for (const none of ["+99:00", "+00:99", "-15:00", "+14:30", "-4"]) {
      expect(instantOf(`2026-03-10T10:00${none}`, "UTC"), none).to.equal(null);
    }
  });

  it("can be 24:00, but no later time", () => {
    expect(inUtc("2026-12-31T24:00:00", "America/La_Paz")).to.equal("2027-01-01T04:00:00.000Z");
    for (const none of ["2026-12-31T24:00:01", "2026-12-31T24:30"]) expect(instantOf(none, "UTC")).to.equal(null);
  });
});

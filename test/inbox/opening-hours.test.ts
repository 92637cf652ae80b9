import { expect } from "chai";
import { isOpen, type OpeningHours } from "../../src/inbox/domain/opening-hours.ts";

const laPaz = "America/La_Paz";
const madrid = "Europe/Madrid";
const allWeek = (...spans: [string, string][]): OpeningHours =>
  Object.fromEntries(["sun", "mon", "tue", "wed", "thu", "fri", "sat"].map((day) => [day, spans]));

describe("opening hours", () => {
  const cases: [what: string, hours: OpeningHours | null, at: string, timezone: string, open: boolean][] = [
    ["that are missing mean always open", null, "2026-03-01T03:00:00Z", laPaz, true],
    ["that are empty mean never open", {}, "2026-03-02T15:00:00Z", laPaz, false],
    // 2 March 2026 is a Monday; La Paz is four hours behind.
    ["begin with their first minute", { mon: [["08:00", "18:00"]] }, "2026-03-02T12:00:00Z", laPaz, true],
    ["do not begin a second earlier", { mon: [["08:00", "18:00"]] }, "2026-03-02T11:59:59Z", laPaz, false],
    ["last until the second before their end", { mon: [["08:00", "18:00"]] }, "2026-03-02T21:59:59Z", laPaz, true],
    ["do not include their end", { mon: [["08:00", "18:00"]] }, "2026-03-02T22:00:00Z", laPaz, false],
    [
      "can have several ranges a day",
      {
        mon: [
          ["08:00", "12:00"],
          ["14:00", "18:00"],
        ],
      },
      "2026-03-02T19:00:00Z",
      laPaz,
      true,
    ],
    [
      "exclude the pause between two ranges",
      {
        mon: [
          ["08:00", "12:00"],
          ["14:00", "18:00"],
        ],
      },
      "2026-03-02T17:00:00Z",
      laPaz,
      false,
    ],
    ["follow the day in the business's time zone", { mon: [["08:00", "24:00"]] }, "2026-03-03T03:30:00Z", laPaz, true],
    ["do not follow the day in UTC", { tue: [["00:00", "24:00"]] }, "2026-03-03T03:30:00Z", laPaz, false],
    ["end a day at 24:00", { mon: [["08:00", "24:00"]] }, "2026-03-03T04:00:00Z", laPaz, false],
    [
      "that cross midnight include the time before it",
      { mon: [["22:00", "02:00"]] },
      "2026-03-03T03:59:00Z",
      laPaz,
      true,
    ],
    [
      "that cross midnight include the time after it",
      { mon: [["22:00", "02:00"]] },
      "2026-03-03T05:59:00Z",
      laPaz,
      true,
    ],
    ["that cross midnight end on the next day", { mon: [["22:00", "02:00"]] }, "2026-03-03T06:00:00Z", laPaz, false],
    [
      "that cross midnight do not include the night before",
      { mon: [["22:00", "02:00"]] },
      "2026-03-02T05:00:00Z",
      laPaz,
      false,
    ],
    ["can continue from Saturday into Sunday", { sat: [["22:00", "02:00"]] }, "2026-03-08T05:00:00Z", laPaz, true],
    ["last 24 hours if start and end are equal", { mon: [["08:00", "08:00"]] }, "2026-03-03T11:59:00Z", laPaz, true],
    [
      "last no longer than 24 hours if start and end are equal",
      { mon: [["08:00", "08:00"]] },
      "2026-03-03T12:00:00Z",
      laPaz,
      false,
    ],
    // In Madrid, clocks go from 02:00 to 03:00 on 29 March 2026, and from 03:00 to 02:00 on 25 October 2026.
    ["follow winter time before the clock changes", allWeek(["09:00", "10:00"]), "2026-03-28T08:30:00Z", madrid, true],
    ["follow summer time after the clock changed", allWeek(["09:00", "10:00"]), "2026-03-29T07:30:00Z", madrid, true],
    [
      "do not follow winter time after the clock changed",
      allWeek(["09:00", "10:00"]),
      "2026-03-29T08:30:00Z",
      madrid,
      false,
    ],
    [
      "do not apply in the hour that the clock skips",
      allWeek(["02:00", "03:00"]),
      "2026-03-29T01:00:00Z",
      madrid,
      false,
    ],
    ["include the first of two repeated hours", allWeek(["02:00", "03:00"]), "2026-10-25T00:30:00Z", madrid, true],
    ["include the second of two repeated hours", allWeek(["02:00", "03:00"]), "2026-10-25T01:30:00Z", madrid, true],
    ["include midnight as the first minute", { mon: [["00:00", "00:30"]] }, "2026-03-02T04:00:00Z", laPaz, true],
    [
      "work in time zones with half-hour offsets",
      { mon: [["09:00", "09:30"]] },
      "2026-03-02T03:30:00Z",
      "Asia/Kolkata",
      true,
    ],
  ];
  for (const [what, hours, at, timezone, open] of cases) {
    it(what, () => expect(isOpen(hours, new Date(at), timezone)).to.equal(open));
  }
});

import { expect } from "chai";
import { hoursOf, overlapping, painted, weekOf } from "../../console/src/people/hours.ts";

describe("the editor of opening hours", () => {
  it("keeps the rest of a night when an hour after midnight is closed", () => {
    const week = weekOf({ fri: [["18:10", "02:00"]] });
    expect(hoursOf(painted(week, "sat", [2, 2], false))).to.deep.equal({
      fri: [["18:10", "24:00"]],
      sat: [
        ["00:00", "01:00"],
        ["01:30", "02:00"],
      ],
    });
  });

  it("joins adjacent ranges, and keeps minutes between half hours", () => {
    const week = weekOf({ mon: [["09:15", "12:00"]] });
    expect(hoursOf(painted(week, "mon", [24, 25], true))).to.deep.equal({ mon: [["09:15", "13:00"]] });
    expect(hoursOf(painted(week, "mon", [18, 19], false))).to.deep.equal({ mon: [["10:00", "12:00"]] });
  });

  it("names the day on which two ranges overlap", () => {
    expect(
      overlapping(
        weekOf({
          tue: [
            ["09:00", "12:00"],
            ["11:59", "13:00"],
          ],
        }),
      ),
    ).to.equal("tue");
    expect(overlapping(weekOf({ tue: [["18:00", "02:00"]], wed: [["02:00", "09:00"]] }))).to.equal(undefined);
    expect(overlapping(weekOf({ tue: [["18:00", "02:00"]], wed: [["01:00", "09:00"]] }))).to.equal("wed");
    expect(overlapping(weekOf({ sun: [["18:00", "02:00"]], mon: [["01:59", "09:00"]] }))).to.equal("mon");
  });
});

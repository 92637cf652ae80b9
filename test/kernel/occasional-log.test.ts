import { expect } from "chai";
import { OccasionalLog } from "../../src/kernel/occasional-log.ts";
import { eventually } from "../support/wait.ts";

describe("OccasionalLog", () => {
  const recording = (silenceMs: number) => {
    const lines: unknown[] = [];
    const note = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
    return { lines, log: new OccasionalLog({ warn: note("warn"), error: note("error") }, silenceMs) };
  };

  it("writes each line once, and not again for a while", () => {
    const { lines, log } = recording(60_000);
    for (const n of [1, 2, 3]) {
      log.warn({ n }, "away");
      log.error({ n }, "broken");
    }
    expect(lines).to.deep.equal([
      ["warn", { n: 1 }, "away"],
      ["error", { n: 1 }, "broken"],
    ]);
  });

  it("then writes how many lines it left out", async () => {
    const { lines, log } = recording(200);
    log.warn({}, "away");
    log.warn({}, "away");
    let said = 2;
    await eventually(() => {
      said += 1;
      log.warn({}, "away");
      return lines.length === 2;
    });
    expect(lines).to.deep.equal([
      ["warn", {}, "away"],
      ["warn", { unsaid: said - 2 }, "away"],
    ]);
  });
});

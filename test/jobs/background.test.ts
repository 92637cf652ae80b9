import { expect } from "chai";
import { background, startAll, stopAll } from "../../src/infra/jobs/background.ts";
import { recordingLog } from "./recorder.ts";

describe("the parts of a process", () => {
  it("start in the order of their dependencies, and stop in reverse order, each after the parts that use it", async () => {
    const said: string[] = [];
    const slowly = (name: string) => ({
      start: () => void said.push(`${name} starts`),
      stop: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        said.push(`${name} has stopped`);
      },
    });
    const all = [
      background("database", "means", slowly("database")),
      background("server", "intake", slowly("server")),
      background("sending", "work", slowly("sending")),
    ];
    await startAll(all);
    await stopAll(all, recordingLog());
    expect(said).to.deep.equal([
      "database starts",
      "sending starts",
      "server starts",
      "server has stopped",
      "sending has stopped",
      "database has stopped",
    ]);
  });

  it("are all stopped even if one fails, which is logged", async () => {
    const log = recordingLog();
    let closed = false;
    const broken = () => {
      throw new Error("stuck");
    };
    await stopAll(
      [
        background("server", "intake", { stop: broken }),
        background("database", "means", {
          stop: () => {
            closed = true;
          },
        }),
      ],
      log,
    );
    expect(closed).to.equal(true);
    expect(log.lines.map(({ level, fields }) => [level, fields.part])).to.deep.equal([["error", "server"]]);
  });

  it("do not start if one of them fails", async () => {
    const refused = startAll([background("server", "intake", { start: () => Promise.reject(new Error("in use")) })]);
    expect(await refused.catch((error: Error) => error.message)).to.equal("in use");
  });
});

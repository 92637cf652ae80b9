import { expect } from "chai";
import { background, startAll, stopAll } from "../../src/infra/jobs/background.ts";
import { recordingLog } from "./recorder.ts";

describe("the parts of a process", () => {
  it("starts what others use first, and stops it last, when what used it has ended", async () => {
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

  it("stops everything although something fails, and says what", async () => {
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

  it("does not start when something cannot", async () => {
    const refused = startAll([background("server", "intake", { start: () => Promise.reject(new Error("in use")) })]);
    expect(await refused.catch((error: Error) => error.message)).to.equal("in use");
  });
});

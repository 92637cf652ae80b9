import { expect } from "chai";
import { Random } from "../../src/sandbox/core/random.ts";
import { HookStage } from "../faults/hook-stage.ts";
import { parts, troubleHooks } from "../faults/hook-troubles.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

/** This test always uses one seed. `make faults` uses many others. */
const seed = 7;

describe("Twenty endpoints, four of them faulty, while the worker is killed (kill -9)", () => {
  let database: TestDatabase | undefined;
  let stage: HookStage | undefined;

  before(async () => {
    database = await freshDatabase();
    stage = await HookStage.open(database.url, parts);
  });
  after(async () => {
    await stage?.close();
    await database?.drop();
  });

  it("get all their events once and in order, and faulty ones do not delay others", async () => {
    const { figures, violations } = await troubleHooks(stage as HookStage, new Random(seed), {
      ...{ events: 300, kills: 1, even: 40, evenSeconds: 2, patienceMs: 40_000 },
    });
    expect(violations).to.deep.equal([]);
    expect(figures).to.include({ events: 340, kills: 1, recovered: 84 });
  });
});

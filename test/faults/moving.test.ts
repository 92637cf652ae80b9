import { expect } from "chai";
import { Random } from "../../src/sandbox/core/random.ts";
import type { Stage } from "../moving/stage.ts";
import { moveUnderKills, openMoveStage } from "./moving.ts";

/** The same in every run. `main.ts` kills more often, and takes its seed as an argument. */
const seed = 11;

describe("a mover that is killed (kill -9) while it moves a business under load", () => {
  let stage: Stage | undefined;

  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage?.close());

  it("loses and duplicates no write", async () => {
    const size = { chats: 500, messagesEach: 10, kills: 1, killWithinMs: 2_500 };
    const { figures, violations } = await moveUnderKills(stage as Stage, new Random(seed), size);
    expect(violations).to.deep.equal([]);
    expect(figures).to.include({ kills: 1, lost: 0, twice: 0 });
    expect(figures.writes).to.be.above(20);
  });
});

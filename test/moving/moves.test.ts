import { expect } from "chai";
import { fill } from "./businesses.ts";
import { openStage, type Stage, silent } from "./stage.ts";
import { Traffic } from "./traffic.ts";

describe("a business that moves to another cell", () => {
  let stage: Stage;

  beforeEach(async () => {
    stage = await openStage();
    await fill(stage, [1, 2], 60);
  });

  afterEach(() => stage.close());

  it("has the same rows there, whatever was written meanwhile", async () => {
    const traffic = new Traffic(stage, 1, 1, "c2").start();
    const others = new Traffic(stage, 2, 2).start(1);
    await stage.mover.move(1, "c2", silent);
    await traffic.stop();
    await others.stop();
    expect(await stage.cellOf(1)).to.equal("c2");
    const [here, there] = [await stage.all("c1", 1), await stage.all("c2", 1)];
    expect(there).to.deep.equal(here);
    expect(Object.values(there).flat().length).to.be.above(300);
    expect(traffic.marks.length).to.be.above(5);
    expect(await stage.all("c2", 2)).to.satisfy((rows: object) => Object.values(rows).flat().length === 0);
  });
});

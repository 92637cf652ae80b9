import { expect } from "chai";
import { runCommand } from "../support/program.ts";
import { openStage, type Stage } from "./stage.ts";

describe("the commands of an installation with several cells", () => {
  let stage: Stage;
  let environment: Record<string, string>;

  beforeEach(async () => {
    stage = await openStage();
    const { c1, c2 } = stage.places;
    environment = { DATABASE_URL: c1, CELLS: JSON.stringify({ c2: { url: c2 } }) };
  });

  afterEach(() => stage.close());

  const migrated = () => runCommand("src/cli/migrate.ts", [], environment);

  it("do not migrate during a move, unless there is nothing to do", async () => {
    await stage.rows(
      "c1",
      "insert into business_moves (business_id, from_cell, to_cell, step) values (7, 'c1', 'c2', 'copying')",
    );
    expect((await migrated())[0]).to.equal(0);
    await stage.rows("c1", "delete from migrations where id = (select max(id) from migrations)");
    const [code, said] = await migrated();
    expect(code).to.equal(1);
    expect(said).to.contain("c1: business 7 is being moved from c1 to c2");
    const [undoCode, undone] = await runCommand("src/cli/rollback.ts", [], environment);
    expect(undoCode).to.equal(1);
    expect(undone).to.contain("business 7 is being moved");
  });
});

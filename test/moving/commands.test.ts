import { expect } from "chai";
import { runCommand } from "../support/program.ts";
import { type Cell, openStage, type Stage } from "./stage.ts";

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

  it("list a cell only once its users get ids of their own range", async () => {
    const made = () => runCommand("src/cli/cell.ts", [], { ...environment, NAME: "c2" });
    await stage.rows("c2", "alter sequence users_id_seq maxvalue 1000");
    expect((await made())[0]).to.equal(1);
    expect(await stage.rows("c1", "select from directory_cells")).to.deep.equal([]);
    await stage.rows("c2", "alter sequence users_id_seq no maxvalue");
    expect((await made())[0]).to.equal(0);
    expect(await stage.rows("c1", "select name from directory_cells")).to.deep.equal([{ name: "c2" }]);
    const [next] = await stage.rows<{ id: string }>("c2", "select nextval('users_id_seq') as id");
    expect(Number(next?.id)).to.be.above(1_000_000_000);
  });

  it("do not make a cell in the place of another one", async () => {
    const { c1, c2 } = stage.places;
    const again = (url: string) => `${url}?application_name=another_spelling`;
    const made = (name: string, cells: object) =>
      runCommand("src/cli/cell.ts", [], { DATABASE_URL: c1, CELLS: JSON.stringify(cells), NAME: name });
    const [code, said] = await made("c2", { c2: { url: again(c1) } });
    expect([code, said]).to.deep.equal([
      1,
      "c2 and the first cell are one place: both lead to the schema public of the same database. Correct CELLS, for all " +
        "processes and commands\n",
    ]);
    expect(await stage.rows("c1", "select from directory_cells")).to.deep.equal([]);
    const three = { c2: { url: c2 }, c3: { url: again(c2) }, c4: { url: again(c2), schema: "c4" } };
    expect((await made("c2", three))[0]).to.equal(0);
    expect((await made("c3", three))[1]).to.contain("c3 and c2 are one place");
    expect((await made("c4", three))[0]).to.equal(0);
    expect((await made("c2", three))[0]).to.equal(0);
  });

  it("do not migrate a cell that exists during a move", async () => {
    await stage.rows(
      "c1",
      "insert into business_moves (business_id, from_cell, to_cell, step) values (7, 'c1', 'c2', 'copying')",
    );
    const made = () => runCommand("src/cli/cell.ts", [], { ...environment, NAME: "c2" });
    expect((await made())[0]).to.equal(0);
    await stage.rows("c2", "delete from migrations where id = (select max(id) from migrations)");
    const [code, said] = await made();
    expect(code).to.equal(1);
    expect(said).to.contain("business 7 is being moved from c1 to c2");
  });

  it("undo the first cell's last batch in each cell that was made, and remove no tables that have businesses", async () => {
    const { c1, c2 } = stage.places;
    const CELLS = JSON.stringify({ c2: { url: c2 }, c3: { schema: "c3" } });
    const undone = (cells: object = { CELLS }) => runCommand("src/cli/rollback.ts", [], { DATABASE_URL: c1, ...cells });
    await stage.rows("c1", "insert into directory_cells (name, number) values ('c2', 1)");
    await stage.rows("c1", "update migrations set batch = 2 where name in (select max(name) from migrations)");
    await stage.rows("c2", "insert into businesses (id, name) values (7, 'Una')");
    const names = async (cell: Cell) =>
      (await stage.rows<{ name: string }>(cell, "select name from migrations order by name")).map(({ name }) => name);
    const [before, last] = [await names("c2"), (await names("c2")).at(-1)];

    expect(await undone()).to.deep.equal([0, `c2: undone:\n  ${last}\nc1: undone:\n  ${last}\n`]);
    for (const cell of ["c1", "c2"] as const) expect(await names(cell)).to.deep.equal(before.slice(0, -1));
    expect(await stage.rows("c1", "select from pg_namespace where nspname = 'c3'")).to.deep.equal([]);

    const [code, said] = await undone();
    expect(code).to.equal(1);
    expect(said).to.contain("cells were made").and.contain("start its processes");
    expect((await undone({}))[1]).to.contain("CELLS does not name c2");
    await stage.rows("c1", "delete from directory_cells");
    await stage.rows("c1", "insert into businesses (id, name) values (8, 'Otra')");
    expect((await undone({}))[1])
      .to.match(/^there are businesses/)
      .and.contain("drop the database");
    expect(await names("c1")).to.deep.equal(before.slice(0, -1));
    expect(await stage.rows("c2", "select id::int from businesses")).to.deep.equal([{ id: 7 }]);
  });

  it("do not undo a move unless they are told so clearly", async () => {
    for (const UNDO of ["0", "no"]) {
      const given = { ...environment, BUSINESS: "1", TO: "c2", UNDO };
      const [code, said] = await runCommand("src/cli/move-business.ts", [], given);
      expect(code).to.equal(1);
      expect(said).to.contain("UNDO must be 1");
    }
  });

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

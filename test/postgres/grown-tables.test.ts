import { oneCell } from "../../src/infra/postgres/cells.ts";
import { GrownTables } from "../../src/infra/postgres/grown-tables.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";
import { eventually } from "../support/wait.ts";

describe("tables that grew", () => {
  let opened: OpenDatabase;
  before(async () => {
    opened = await openDatabase();
  });
  after(() => opened.close());

  const run = (text: string) => opened.database.rows<{ known: boolean }>({ name: "", text }, []);

  it("are soon analyzed for the planner, even if they were known to be empty", async () => {
    await run("create table things (id integer primary key)");
    await run("analyze things");
    await run("insert into things select generate_series(1, 5000)");
    const tables = new GrownTables(oneCell(opened.database));
    await eventually(async () => {
      await tables.refresh();
      return (await run("select reltuples >= 5000 as known from pg_class where relname = 'things'"))[0]?.known === true;
    });
  });
});

import { Database } from "../../src/infra/postgres/database.ts";
import { GrownTables } from "../../src/infra/postgres/grown-tables.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";

describe("tables that grew", () => {
  let test: TestDatabase;
  let database: Database;
  before(async () => {
    test = await freshDatabase();
    database = Database.open(
      { url: test.url, poolSize: 1, statementTimeoutMs: 5_000, connectTimeoutMs: 5_000 },
      () => {},
    );
  });
  after(async () => {
    await database?.close();
    await test?.drop();
  });

  const run = (text: string) => database.rows<{ known: boolean }>({ name: "", text }, []);

  it("are known to the planner soon, also those that were known to be empty", async () => {
    await run("create table things (id integer primary key)");
    await run("analyze things");
    await run("insert into things select generate_series(1, 5000)");
    const tables = new GrownTables(database);
    await eventually(async () => {
      await tables.refresh();
      return (await run("select reltuples >= 5000 as known from pg_class where relname = 'things'"))[0]?.known === true;
    });
  });
});

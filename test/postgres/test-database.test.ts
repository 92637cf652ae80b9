import { expect } from "chai";
import pg from "pg";
import { pendingMigrations } from "../../src/infra/postgres/migrate.ts";
import { emptyDatabase, freshDatabase, TestServer } from "../support/database.ts";
import { eventually } from "../support/wait.ts";
import { valuesOf } from "./query.ts";

describe("databases for tests", () => {
  it("are migrated, and independent of each other", async () => {
    const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
    await valuesOf(one.url, "insert into businesses (name) values ('only here') returning name");

    expect(await pendingMigrations({ url: one.url })).to.equal(0);
    expect(await valuesOf(one.url, "select name from businesses")).to.deep.equal(["only here"]);
    expect(await valuesOf(other.url, "select name from businesses")).to.deep.equal([]);
  });

  it("are dropped even if a client is still connected", async () => {
    const database = await freshDatabase();
    const client = new pg.Client(database.url);
    const cutOff = new Promise<Error>((resolve) => client.on("error", resolve));
    await client.connect();

    await database.drop();
    expect((await cutOff).message).to.match(/terminat/);
    expect(await databasesLike(database.url, nameOf(database.url))).to.deep.equal([]);
  });

  it("are dropped by the next run if their run was killed, but not while it lives", async () => {
    const own = await freshDatabase();
    const killed = await TestServer.connect(maintenance(own.url));
    const left = await killed.create("template0");
    await killed.abandon();

    const next = await TestServer.connect(maintenance(own.url));
    await eventually(async () => {
      await next.dropLeftovers();
      return (await databasesLike(own.url, nameOf(left.url))).length === 0;
    });
    await next.close();

    expect(await databasesLike(own.url, nameOf(own.url))).to.have.length(1);
  });

  it("are created from one template, and older templates are dropped", async () => {
    const { url } = await emptyDatabase();
    await valuesOf(maintenance(url), "create database recado_template_of_older_migrations is_template true");

    const next = await TestServer.connect(maintenance(url));
    const template = await next.prepareTemplate();
    await next.close();

    // Tests with two cells create a second template, whose name ends in `_c2`.
    const left = await databasesLike(url, "recado\\_template\\_%");
    expect(left.filter((name) => name !== `${template}_c2`)).to.deep.equal([template]);
  });
});

function maintenance(url: string): string {
  return new URL("/postgres", url).href;
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

const databasesLike = (url: string, pattern: string) =>
  valuesOf(maintenance(url), "select datname from pg_database where datname like $1", [pattern]);

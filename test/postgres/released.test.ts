import { expect } from "chai";
import pg from "pg";
import { emptyDatabase, freshDatabase } from "../support/database.ts";
import { type Column, columnsOf, type Released, readReleased } from "./released.ts";

type Known = Pick<Released, "columns" | "statements">;

/** The columns and statements of a released version that no longer work on the database's schema. */
async function failuresOf({ columns, statements }: Known, url: string): Promise<string[]> {
  return [...brokenColumns(columns, await columnsOf(url)), ...(await refusedStatements(statements, url))];
}

function brokenColumns(before: readonly Column[], now: readonly Column[]): string[] {
  const byName = new Map(now.map((column) => [column.name, column]));
  const tableOf = ({ name }: Column): string => name.slice(0, name.indexOf("."));
  const tables = new Set(before.map(tableOf));
  const known = new Map(before.map((column) => [column.name, column]));
  const changed = before.flatMap(({ name, type }) => {
    const column = byName.get(name);
    if (!column) return `${name} is gone`;
    return column.type === type ? [] : `${name} is ${column.type} and was ${type}`;
  });
  const required = now
    .filter((column) => column.required && tables.has(tableOf(column)) && !known.get(column.name)?.required)
    .map(({ name }) => `${name} has to be given, and was not`);
  return [...changed, ...required];
}

async function refusedStatements(statements: Known["statements"], url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const refused: string[] = [];
    for (const { name, text } of statements) {
      await client.query(`prepare released as ${text}`).then(
        () => client.query("deallocate released"),
        ({ message }: Error) => refused.push(`${name}: ${message}`),
      );
    }
    return refused;
  } finally {
    await client.end();
  }
}

describe("migrations beside processes of the previous version", () => {
  it("keep everything that its statements need", async () => {
    const released = await readReleased();
    expect(released.statements.length).to.be.above(300);
    expect(released.columns.length).to.be.above(300);
    const { url } = await freshDatabase();
    expect(await failuresOf(released, url)).to.deep.equal([]);
  });

  it("are reported if they break its statements", async () => {
    const { url } = await emptyDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("create table things (id bigint not null, name text, size integer)");
    const statements = [
      { name: "thing_add", text: "insert into things (id, name) values ($1, $2)" },
      { name: "thing_name", text: "select name from things where id = $1" },
      { name: "thing_size", text: "select size from things where id = $1" },
    ];
    const released = { columns: await columnsOf(url), statements };
    expect(await failuresOf(released, url)).to.deep.equal([]);
    await client.query(
      `alter table things drop column name, alter size type bigint, alter size set not null,
                          add colour text not null, add weight integer not null default 0`,
    );
    await client.end();
    expect(await failuresOf(released, url)).to.deep.equal([
      "things.name is gone",
      "things.size is bigint and was integer",
      "things.colour has to be given, and was not",
      "things.size has to be given, and was not",
      'thing_add: column "name" of relation "things" does not exist',
      'thing_name: column "name" does not exist',
    ]);
  });
});

import { expect } from "chai";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";
import { runCommand } from "../support/program.ts";

describe("the command that makes a business", () => {
  let opened: OpenDatabase;
  before(async () => {
    opened = await openDatabase();
  });
  after(() => opened.close());

  const run = (ADMIN: string) =>
    runCommand("src/cli/business.ts", [], { DATABASE_URL: opened.url, NAME: "Mi negocio", ADMIN });
  const businesses = () =>
    opened.database.rows<{ name: string }>({ name: "", text: "select name from businesses" }, []);

  it("makes none if the administrator's e-mail address is not one", async () => {
    expect(await run("ana")).to.deep.equal([1, "ADMIN must be an e-mail address: ana@example.com\n"]);
    expect(await businesses()).to.deep.equal([]);
  });

  it("prints the ids and the password of the administrator", async () => {
    const [code, said] = await run(" ana@example.com ");
    expect(said).to.match(/^business 1\nadministrator 1 ana@example\.com\npassword pw_\S+\n$/);
    expect(code).to.equal(0);
    expect(await businesses()).to.deep.equal([{ name: "Mi negocio" }]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { bareEnvironment } from "../support/environment.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";

const command = fileURLToPath(new URL("../../src/cli/business.ts", import.meta.url));

describe("the command that makes a business", () => {
  let opened: OpenDatabase;
  before(async () => {
    opened = await openDatabase();
  });
  after(() => opened.close());

  /** Runs the command. Returns its exit code and output. */
  const run = async (ADMIN: string): Promise<[number, string]> => {
    const child = spawn(process.execPath, ["--import", "tsx", command], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...bareEnvironment, DATABASE_URL: opened.url, NAME: "Mi negocio", ADMIN },
    });
    const [[code], printed, complained] = await Promise.all([
      once(child, "exit"),
      text(child.stdout),
      text(child.stderr),
    ]);
    return [code, `${printed}${complained}`];
  };
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

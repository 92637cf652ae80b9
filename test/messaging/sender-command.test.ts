import { expect } from "chai";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";
import { runCommand } from "../support/program.ts";

const number = { phoneNumberId: "1065", accountId: "2077", displayPhoneNumber: "+591 2 2000001", token: "EAAG-1" };

describe("the command that gives a business a number", () => {
  let opened: OpenDatabase;
  let sandbox: Sandbox;
  before(async () => {
    opened = await openDatabase();
    await opened.database.rows({ name: "", text: "insert into businesses (id, name) values (1, 'Ana')" }, []);
    const accounts = [{ ...number, templates: [] }];
    sandbox = await startSandbox({ port: 0, host: "127.0.0.1", accounts });
  });
  after(async () => {
    await sandbox.close();
    await opened.close();
  });

  const run = (changes: Readonly<Record<string, string>>) => {
    const given = { PLATFORM_TOKEN: "EAAG-1", PLATFORM_ID: "1065", ACCOUNT_ID: "2077", PHONE: "59122000001" };
    const places = { DATABASE_URL: opened.url, MESSAGING_PLATFORM_URL: sandbox.url };
    return runCommand("src/cli/sender.ts", ["1"], { ...places, ...given, ...changes });
  };
  const stored = () =>
    opened.database.rows<{ account_id: string }>({ name: "", text: "select account_id, phone from senders" }, []);

  it("stores no number that the platform does not confirm, and names what is wrong", async () => {
    for (const [changes, said] of [
      [{ ACCOUNT_ID: "2078" }, "the platform does not confirm ACCOUNT_ID: nothing is stored\n"],
      [{ PHONE: "59122000009" }, "the platform does not confirm PHONE: nothing is stored\n"],
    ] as const) {
      expect(await run(changes)).to.deep.equal([1, said]);
    }
    expect(await stored()).to.deep.equal([]);
  });

  it("needs a number with digits on each channel with numbers", async () => {
    const said = "PHONE is missing or has no digits; for instance PHONE='59122000001'\n";
    for (const changes of [{ PHONE: "" }, { PHONE: "ninguno" }, { CHANNEL: "provider-b", PHONE: "" }]) {
      expect(await run(changes)).to.deep.equal([1, said]);
    }
    expect(await stored()).to.deep.equal([]);
  });

  it("needs none for a page, whose id it stores instead", async () => {
    await fetch(`${sandbox.url}/__sandbox/pages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ channel: "platform-page", pageId: "3003", token: "page-3" }),
    });
    const page = { CHANNEL: "platform-page", PLATFORM_ID: "3003", ACCOUNT_ID: "", PHONE: "", PLATFORM_TOKEN: "page-3" };
    expect(await run(page)).to.deep.equal([0, "sender 1\n"]);
    expect(await stored()).to.deep.equal([{ account_id: "3003", phone: "3003" }]);
    await opened.database.rows({ name: "", text: "truncate senders restart identity cascade" }, []);
  });

  it("stores a confirmed number, and replaces the token of a known one", async () => {
    expect(await run({})).to.deep.equal([0, "sender 1\n"]);
    expect(await run({})).to.deep.equal([
      0,
      "sender 1: its token is replaced; resume the campaigns that waited for it\n",
    ]);
    expect(await stored()).to.deep.equal([{ account_id: "2077", phone: "59122000001" }]);
  });
});

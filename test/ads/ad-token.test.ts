import { expect } from "chai";
import { PostgresAdCredentials } from "../../src/ads/adapters/postgres/ad-credentials.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { bareEnvironment } from "../support/environment.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";
import { runCommand } from "../support/program.ts";

describe("the command that gives a business access to the ad platform", () => {
  let opened: OpenDatabase;
  let credentials: PostgresAdCredentials;
  before(async () => {
    opened = await openDatabase();
    const { database } = opened;
    await database.rows({ name: "", text: "insert into businesses (id, name) values (1, 'Ana')" }, []);
    credentials = new PostgresAdCredentials(oneCell(database), new Secrets(bareEnvironment.MASTER_SECRET));
  });
  after(() => opened.close());
  beforeEach(() => credentials.put(1, "the old one", "act_7"));

  const run = (environment: Readonly<Record<string, string>>) =>
    runCommand("src/cli/ad-token.ts", ["1"], { DATABASE_URL: opened.url, ...environment });
  const stored = async () => {
    const { token, defaultAccountId } = await credentials.of(1);
    return [token, defaultAccountId];
  };
  const given = (account: string) => `business 1 has access to the ad platform; its default account: ${account}\n`;

  it("keeps the default account if none is given, and prints it", async () => {
    expect(await run({ ADS_TOKEN: " the new one\n", ACCOUNT_ID: "" })).to.deep.equal([0, given("act_7")]);
    expect(await stored()).to.deep.equal(["the new one", "act_7"]);
  });

  it("sets the given default account", async () => {
    expect(await run({ ADS_TOKEN: "the new one", ACCOUNT_ID: "act_8" })).to.deep.equal([0, given("act_8")]);
    expect(await stored()).to.deep.equal(["the new one", "act_8"]);
  });

  it("changes the version of the record, so that an older form is not stored over it", async () => {
    const version = async () => {
      const text = "select record_version as version from ad_credentials where business_id = 1";
      const [row] = await opened.database.rows<{ version: number }>({ name: "", text }, []);
      return row?.version ?? 0;
    };
    const before = await version();
    await run({ ADS_TOKEN: "the new one", ACCOUNT_ID: "" });
    expect(await version()).to.equal(before + 1);
  });

  it("refuses a blank token, and stores nothing", async () => {
    expect(await run({ ADS_TOKEN: " \t ", ACCOUNT_ID: "act_8" })).to.deep.equal([
      1,
      "ADS_TOKEN is missing or blank; for instance ADS_TOKEN='EAAG...'\n",
    ]);
    expect(await stored()).to.deep.equal(["the old one", "act_7"]);
  });
});

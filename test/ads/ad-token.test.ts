import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { PostgresAdCredentials } from "../../src/ads/adapters/postgres/ad-credentials.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { bareEnvironment } from "../support/environment.ts";
import { type OpenDatabase, openDatabase } from "../support/open-database.ts";

const command = fileURLToPath(new URL("../../src/cli/ad-token.ts", import.meta.url));

describe("the command that gives a business access to the ad platform", () => {
  // Each run starts a process.

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

  /** Runs the command. Returns its exit code and output. */
  const run = async (environment: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, ["--import", "tsx", command, "1"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...bareEnvironment, DATABASE_URL: opened.url, ...environment },
    });
    const [[code], printed, complained] = await Promise.all([
      once(child, "exit"),
      text(child.stdout),
      text(child.stderr),
    ]);
    return [code, `${printed}${complained}`];
  };
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

  it("refuses a blank token, and stores nothing", async () => {
    expect(await run({ ADS_TOKEN: " \t ", ACCOUNT_ID: "act_8" })).to.deep.equal([
      1,
      "ADS_TOKEN is missing or blank; for instance ADS_TOKEN='EAAG...'\n",
    ]);
    expect(await stored()).to.deep.equal(["the old one", "act_7"]);
  });
});

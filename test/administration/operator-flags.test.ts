import { expect } from "chai";
import type { SetOperatorFlag } from "../../src/administration/public.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { runCommand } from "../support/program.ts";
import { startWorld, type World } from "../support/world.ts";

describe("the command that sets flags that businesses cannot change", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const run = (FLAG: string, VALUE: string) =>
    runCommand("src/cli/operator-flag.ts", ["1"], { DATABASE_URL: world.config.database.url, FLAG, VALUE });
  const set = (...given: Parameters<SetOperatorFlag["execute"]>) =>
    resolve(world.container, tokens.setOperatorFlag).execute(...given);
  const flags = async () => (await world.get("/admin/flags")).json;
  const audited = async () => (await world.get("/admin/audit?resource=flags&record=1")).json.data;

  it("sets a flag, which the business sees at once, and removes it", async () => {
    const { version } = await flags();
    const said = "business 1: media_quota_bytes is 12345\n";
    expect(await run("media_quota_bytes", "12345")).to.deep.equal([0, said]);
    expect(await flags()).to.deep.include({ media_quota_bytes: 12_345, version: version + 1 });
    expect((await world.get("/media/usage")).json.quota_bytes).to.equal(12_345);
    await set(1, "media_quota_bytes", 12_345);
    const entries = await audited();
    expect(entries).to.have.length(1);
    expect(entries[0]).to.deep.include({ actor: { type: "system", id: null, nombre: null }, change: "changed" });
    expect([entries[0].before.media_quota_bytes, entries[0].after.media_quota_bytes]).to.deep.equal([null, 12_345]);
    expect(await run("media_quota_bytes", "null")).to.deep.equal([0, "business 1: media_quota_bytes is removed\n"]);
    expect(await flags()).to.deep.include({ media_quota_bytes: null });
    expect((await world.get("/media/usage")).json.quota_bytes).to.equal(5_368_709_120);
  });

  it("sets the businesses of a report if all of them exist", async () => {
    await set(1, "group_shared_report", [1, 2]);
    expect((await flags()).group_shared_report).to.deep.equal([1, 2]);
    const said = "there is no business 77 for the group\n";
    expect(await run("group_shared_report", "[1,77]")).to.deep.equal([1, said]);
    expect((await flags()).group_shared_report).to.deep.equal([1, 2]);
  });

  it("refuses invalid values with a description of valid ones", async () => {
    const before = await flags();
    for (const [flag, value, words] of [
      ["media_quota_bytes", -1, "media_quota_bytes accepts a whole number of bytes from 0 to 999999999999999"],
      ["media_quota_bytes", 1e15, "media_quota_bytes accepts a whole number"],
      ["media_quota_bytes", "5", "media_quota_bytes accepts a whole number"],
      ["group_shared_report", [], "group_shared_report accepts a list of 1 to 100 ids"],
      ["group_shared_report", Array.from({ length: 101 }, (_, at) => at + 1), "a list of 1 to 100 ids"],
      ["group_shared_report", [1, 1], "each once"],
      ["group_shared_report", [0], "group_shared_report accepts a list"],
      ["group_shared_report", 1, "group_shared_report accepts a list"],
    ] as const) {
      const refused = await set(1, flag, value).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(Error).with.property("message").that.includes(words);
    }
    const missing = await set(77, "media_quota_bytes", 5).catch((error: Error) => error);
    expect(missing).to.have.property("message", "there is no business 77");
    for (const [flag, value, words] of [
      ["media_quota_bytes", "5 GB", "VALUE must be JSON"],
      ["currency", '"USD"', "FLAG must be one of group_shared_report, media_quota_bytes"],
    ] as const) {
      const [code, said] = await run(flag, value);
      expect(code, said).to.equal(1);
      expect(said).to.include(words);
    }
    expect(await flags()).to.deep.equal(before);
  });
});

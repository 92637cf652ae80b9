import { createRequire } from "node:module";
import { expect } from "chai";
import { parseFields } from "../../src/sandbox/ads/fields.ts";
import type { SandboxAdAccount } from "../../src/sandbox/sandbox.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { Bench } from "./support.ts";

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

const anAd = (id: string, spend: Record<string, string> = {}) => ({
  id,
  name: `Ad ${id}`,
  thumbnailUrl: `https://media.test/${id}-small.jpg`,
  imageUrl: `https://media.test/${id}.jpg`,
  spend,
});

/** A function, since the days depend on today: midnight may pass between the loading of this file and its tests. */
const accountOfToday = (): SandboxAdAccount => ({
  token: "ads-1",
  accountId: "act_1",
  name: "Main",
  currency: "USD",
  campaigns: [
    {
      id: "11",
      name: "First",
      lifetimeBudget: "350000",
      adSets: [
        {
          id: "111",
          name: "Centre",
          ads: [anAd("1111", { [day(0)]: "0.10", [day(1)]: "2.20", [day(10)]: "5.00" }), anAd("1112")],
        },
        { id: "112", name: "South", ads: [anAd("1121", { [day(0)]: "0.20" })] },
      ],
    },
    { id: "12", name: "Second", status: "PAUSED", adSets: [] },
    { id: "13", name: "Third", status: "ARCHIVED", adSets: [] },
  ],
});

/** The used parts of the vendor's SDK, which has no types. */
interface Sdk {
  readonly FacebookAdsApi: { init(token: string, locale: string, reportsCrashes: boolean): unknown };
  readonly AdAccount: new (id: string) => SdkNode;
  readonly Campaign: new (id: string) => SdkNode;
  readonly User: new (id: string) => SdkNode;
}
interface SdkNode {
  readonly id: string;
  readonly name: string;
  readonly _data: Record<string, unknown>;
  getCampaigns(fields: readonly string[], params?: object): Promise<SdkCursor>;
  getAdSets(fields: readonly string[], params?: object): Promise<SdkCursor>;
  getAds(fields: readonly string[], params?: object): Promise<SdkCursor>;
  getAdAccounts(fields: readonly string[], params?: object): Promise<SdkCursor>;
  getInsights(fields: readonly string[], params?: object): Promise<SdkCursor>;
  get(fields: readonly string[]): Promise<SdkNode>;
}
type SdkCursor = readonly SdkNode[] & { hasNext(): boolean; next(): Promise<SdkCursor> };

describe("the sandbox's ad platform", () => {
  useRealNetwork();
  let bench: Bench;
  let account: SandboxAdAccount;
  before(async () => {
    account = accountOfToday();
    const other = { ...account, token: "ads-2", accountId: "act_2", name: "Other's", campaigns: [] };
    bench = await Bench.start({ adAccounts: [account, other] });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  const get = (path: string, token = "ads-1") =>
    // biome-ignore lint/suspicious/noExplicitAny: answers of the platform can have any type
    bench.call<any>("GET", `/v23.0/${path}`, undefined, { authorization: `Bearer ${token}` });

  describe("as used by the vendor's own client", () => {
    let sdk: Sdk;
    before(() => {
      sdk = createRequire(import.meta.url)("facebook-nodejs-business-sdk") as Sdk;
      Object.defineProperty(sdk.FacebookAdsApi, "GRAPH", { get: () => bench.sandbox.url, configurable: true });
      sdk.FacebookAdsApi.init("ads-1", "en_US", false);
    });

    it("lists campaigns page by page", async () => {
      let page = await new sdk.AdAccount("act_1").getCampaigns(["name", "status", "lifetime_budget"], { limit: 1 });
      expect(page.map(({ _data }) => _data)).to.deep.equal([
        { id: "11", name: "First", status: "ACTIVE", lifetime_budget: "350000" },
      ]);
      expect(page.hasNext()).to.equal(true);
      page = await page.next();
      expect(page.map(({ id }) => id)).to.deep.equal(["12"]);
      expect(page.hasNext()).to.equal(false);
    });

    it("lists only campaigns with a requested status", async () => {
      const listed = async (statuses: readonly string[]) =>
        (await new sdk.AdAccount("act_1").getCampaigns(["name"], { effective_status: statuses })).map(({ id }) => id);
      expect(await listed(["PAUSED"])).to.deep.equal(["12"]);
      expect(await listed(["ARCHIVED", "ACTIVE"])).to.deep.equal(["11", "13"]);
    });

    it("lists ad sets, ads and accounts, and reads an object", async () => {
      const adSets = await new sdk.Campaign("11").getAdSets(["name", "ads{name}"]);
      expect(adSets.map(({ name }) => name)).to.deep.equal(["Centre", "South"]);
      const ads = await new sdk.Campaign("11").getAds(["name", "adcreatives{thumbnail_url}"]);
      expect(ads.map(({ name }) => name)).to.deep.equal(["Ad 1111", "Ad 1112", "Ad 1121"]);
      const accounts = await new sdk.User("me").getAdAccounts(["name", "currency", "account_status"]);
      expect(accounts.map(({ _data }) => _data)).to.deep.equal([
        { id: "act_1", name: "Main", currency: "USD", account_status: 1 },
      ]);
      expect((await new sdk.Campaign("11").get(["name"])).name).to.equal("First");
    });

    it("gives the same insights for a preset as for its range", async () => {
      const spend = async (params: object) =>
        (await new sdk.Campaign("11").getInsights(["spend", "account_currency"], params)).map(
          ({ _data: { spend: amount } }) => amount,
        );
      expect(await spend({ date_preset: "today" })).to.deep.equal(["0.30"]);
      expect(await spend({ time_range: { since: day(0), until: day(0) } })).to.deep.equal(["0.30"]);
      expect(await spend({ date_preset: "last_7d" })).to.deep.equal(["2.20"]);
      expect(await spend({ time_range: { since: day(7), until: day(1) } })).to.deep.equal(["2.20"]);
      expect(await spend({ date_preset: "maximum" })).to.deep.equal(["7.50"]);
      expect(await spend({ time_range: { since: day(9), until: day(8) } })).to.deep.equal([]);
    });

    it("sends errors that the client can parse", async () => {
      const failure = await new sdk.AdAccount("act_2").getCampaigns(["name"]).catch((error: unknown) => error);
      expect(failure).to.include({ name: "FacebookRequestError", status: 400 });
      expect(failure).to.have.nested.property("response.code", 100);
      expect(failure).to.have.nested.property("response.error_subcode", 33);
    });
  });

  it("expands nested fields, and pages each nested list on its own", async () => {
    const range = JSON.stringify({ since: day(0), until: day(0) });
    const fields = `name,insights.time_range(${range}){spend},ads.limit(1){id,insights.date_preset(today){spend}}`;
    const { body } = await get(`act_1/campaigns?limit=1&fields=${encodeURIComponent(fields)}`);
    const [campaign] = body.data;
    expect(campaign.insights.data).to.deep.equal([{ spend: "0.30", date_start: day(0), date_stop: day(0) }]);
    expect(campaign.ads.data.map(({ id }: { id: string }) => id)).to.deep.equal(["1111"]);
    expect(body.paging.next).to.include("/v23.0/act_1/campaigns?access_token=ads-1");

    const next = (await (await fetch(campaign.ads.paging.next)).json()) as { data: unknown };
    expect(next.data).to.deep.equal([{ id: "1112" }]);
  });

  it("refuses the same requests as the platform", async () => {
    const error = async (path: string, token?: string) => (await get(path, token)).body.error;
    expect(await error("act_1/campaigns", "nobody's")).to.include({ code: 190 });
    expect(await error("act_2/campaigns")).to.include({ code: 100, error_subcode: 33 });
    expect(await error("999/adsets")).to.include({ code: 100, error_subcode: 33 });
    expect(await error("act_1/campaigns?fields=nonsense")).to.include({
      code: 100,
      message: "(#100) Tried accessing nonexisting field (nonsense) on node type (Campaign)",
    });
    expect(await error("act_1/campaigns?fields=name,ads{id")).to.include({ code: 2500 });
    expect(await error("act_1/campaigns?after=nonsense")).to.include({ message: "(#100) Invalid cursors values" });
  });

  it("can be set to send short and empty pages and to refuse large ones", async () => {
    await bench.control("PUT", "/ads/behaviour", { emptyFirstPages: true, shortPages: 1, reduceAbove: 10 });
    const refused = await get("act_1/campaigns?limit=11");
    expect(refused.body.error).to.include({ code: 100, error_subcode: 1504018 });
    const seen: unknown[] = [];
    let path: string | undefined = "act_1/campaigns?limit=10";
    while (path) {
      const { body } = await get(path);
      seen.push(body.data.map(({ id }: { id: string }) => id));
      path = body.paging?.next?.split("/v23.0/")[1];
    }
    expect(seen).to.deep.equal([[], ["11"], ["12"]]);
  });

  it("reports how much of the limits is used", async () => {
    await bench.control("PUT", "/ads/behaviour", { accountPercent: 98, resetSeconds: 120, regainMinutes: 5 });
    const { headers } = await fetch(`${bench.sandbox.url}/v23.0/act_1/campaigns`, {
      headers: { authorization: "Bearer ads-1" },
    });
    expect(JSON.parse(headers.get("x-ad-account-usage") ?? "")).to.deep.equal({
      acc_id_util_pct: 98,
      reset_time_duration: 120,
    });
    expect(JSON.parse(headers.get("x-business-use-case-usage") ?? "")["1"][0]).to.include({
      estimated_time_to_regain_access: 5,
    });
  });

  it("fails on demand, and counts its requests", async () => {
    await bench.control("POST", "/faults", { path: "campaigns", code: 80004 });
    expect((await get("act_1/campaigns")).body.error).to.include({ code: 80004 });
    expect((await get("act_1/campaigns")).status).to.equal(200);
    expect((await bench.control("GET", "/ads/requests")).body).to.deep.equal({ requests: 2 });
  });

  it("accepts new accounts, and refuses invalid ones", async () => {
    const third = { ...account, token: "ads-3", accountId: "act_3", campaigns: [] };
    const added = await bench.control("POST", "/ads/accounts", third);
    expect(added.body).to.deep.equal({ accountId: "act_3", campaigns: 0 });
    expect((await get("act_3?fields=name", "ads-3")).body).to.deep.equal({ id: "act_3", name: "Main" });
    const wrong = await bench.control("POST", "/ads/accounts", { ...account, currency: 7 });
    expect(wrong.status).to.equal(400);
  });
});

describe("the parser of the ad platform's fields", () => {
  it("reads modifiers and nested fields", () => {
    expect(parseFields('a, b.limit(5).time_range({"since":"x)","until":"}"}){c,d{e}},f')).to.deep.equal([
      { name: "a", modifiers: {}, inner: null },
      { name: "b", modifiers: { limit: "5", time_range: '{"since":"x)","until":"}"}' }, inner: "c,d{e}" },
      { name: "f", modifiers: {}, inner: null },
    ]);
    expect(parseFields("")).to.deep.equal([]);
  });

  for (const wrong of ["a,", ",a", "a{b", "a.limit(1", "a}", "a.limit(1]", "a b"]) {
    it(`reports a syntax error for ${wrong}`, () => {
      expect(() => parseFields(wrong)).to.throw(/Syntax error/);
    });
  }
});

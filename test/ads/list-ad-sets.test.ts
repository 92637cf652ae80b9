import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { aCampaign, anAccount, anAd, begin, day, register } from "./support.ts";

const campaign = aCampaign(
  "11",
  [
    [anAd("111", { [day(0)]: "1.50", [day(1)]: "2.00" }), anAd("112", {}, { sourceAdId: "111" })],
    [anAd("113", { [day(0)]: "0.25" })],
  ],
  { name: "Almuerzos", lifetimeBudget: "350000", budgetRemaining: "100", startTime: "2026-01-01T08:00:00-0400" },
);
const elsewhere = aCampaign("12", [[anAd("121", { [day(0)]: "8.00" })]]);
const wide = aCampaign(
  "13",
  Array.from({ length: 60 }, (_, n) => [anAd(`13${100 + n}`, { [day(0)]: "0.01" })]),
);

const shop = aBusiness(1, {
  ads: {
    token: "ads-token-1",
    defaultAccountId: "act_1",
    accounts: [anAccount("act_1", [campaign, wide]), anAccount("act_10", [elsewhere])],
  },
});
const other = aBusiness(2, {
  ads: {
    token: "ads-token-2",
    defaultAccountId: "act_2",
    accounts: [anAccount("act_2", [aCampaign("21", [[anAd("211")]])])],
  },
});

describe("GET /empresas/campaigns/{businessId}/{campaignId}: list ad sets", () => {
  useRealNetwork();
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [shop, other, aBusiness(3, { ads: null })], environment: { ROLE: "api" } });
    await register(world, { adId: "111" });
    await register(world, { adId: "111", at: "2026-06-01T12:00:00Z" });
    await register(world, { adId: "111", closed: false });
    await register(world, { adId: "113" });
    await register(world, { adId: "112", type: "quotation" });
    await register(world, { adId: "112", type: "sale", businessId: 2 });
    await begin(world, "111");
    await begin(world, "111", "2026-06-01T12:00:00Z");
    await begin(world, "112", "2026-06-01T12:00:00Z", 2);
  });
  after(() => world.stop());
  afterEach(() => world.control("DELETE", "/faults"));

  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  type Json = any;
  const list = (campaignId: string, query: Readonly<Record<string, string>> = {}, businessId = 1, key = 1) =>
    world.get(`/empresas/campaigns/${businessId}/${campaignId}?${new URLSearchParams(query)}`, key);
  const listed = async (campaignId: string, query: Readonly<Record<string, string>> = {}): Promise<Json[]> => {
    const answer = await list(campaignId, query);
    expect(answer.status, answer.text).to.equal(200);
    expect(Object.keys(answer.json)).to.deep.equal(["data"]);
    return answer.json.data;
  };
  const problem = ({ status, json }: { status: number; json: unknown }) => [status, json];
  const ads = (adSets: readonly Json[]): Json[] => adSets.flatMap((adSet) => adSet.ads.data);

  it("answers ad sets with the documented fields (§16)", async () => {
    const [first, second, ...rest] = await listed("11");
    expect(rest).to.deep.equal([]);
    const insights = (spend: string) => ({ data: [{ account_currency: "USD", spend }] });
    const creatives = (id: string) => ({
      data: [
        {
          id: `9${id}`,
          thumbnail_url: `https://media.test/${id}-small.jpg`,
          image_url: `https://media.test/${id}.jpg`,
        },
      ],
    });
    const adOf = (id: string, figures: object, source = "0") => ({
      id,
      name: `Anuncio ${id}`,
      source_ad_id: source,
      ...figures,
    });
    const sold = { mensajes_iniciados: 2, ventas: 2, cotizaciones: 0, insights: insights("1.50") };
    const copied = { mensajes_iniciados: 0, ventas: 0, cotizaciones: 1, insights: { data: [] } };
    expect(first).to.deep.equal({
      id: "1190",
      name: "Conjunto 1",
      insights: insights("1.50"),
      ads: {
        data: [
          { ...adOf("111", sold), adcreatives: creatives("111") },
          { ...adOf("112", copied, "111"), adcreatives: creatives("112") },
        ],
      },
      campaign: {
        id: "11",
        name: "Almuerzos",
        status: "ACTIVE",
        lifetime_budget: "350000",
        budget_remaining: "100",
        start_time: "2026-01-01T08:00:00-04:00",
        stop_time: null,
        sales_totales: 3,
        insights: insights("1.75"),
        ads: { data: [adOf("111", sold), adOf("112", copied, "111")] },
      },
    });
    expect(second).to.deep.include({ id: "1191", insights: insights("0.25") });
    expect(second.campaign).to.include({ id: "11", sales_totales: 3 });
  });

  it("uses today without a preset, and accepts the presets of endpoint 15 (§16.1)", async () => {
    expect(await listed("11")).to.deep.equal(await listed("11", { datePreset: "today" }));
    const [yesterday] = await listed("11", { datePreset: "yesterday" });
    expect(yesterday.insights.data[0].spend).to.equal("2.00");
    const [ever] = await listed("11", { datePreset: "maximum" });
    expect(ever.insights.data[0].spend).to.equal("3.50");
    const [period] = await listed("11", { datePreset: "period", start: day(1), end: day(1) });
    expect(period.insights.data[0].spend).to.equal("2.00");
    expect(problem(await list("11", { datePreset: "always" }))).to.deep.equal([
      400,
      { message: "datePreset no es un valor permitido" },
    ]);
  });

  it("filters messages, sales and quotations by start and end (§16.1)", async () => {
    const [june] = ads(await listed("11", { start: "2026-06-01", end: "2026-06-01" }));
    expect(june).to.include({ id: "111", mensajes_iniciados: 1, ventas: 1 });
    const [, may] = ads(await listed("11", { end: "2026-05-31" }));
    expect(may).to.include({ id: "112", cotizaciones: 1 });
    const [, later] = ads(await listed("11", { start: "2026-06-01" }));
    expect(later).to.include({ id: "112", cotizaciones: 0 });
  });

  it("refuses impossible dates, and a period that ends before it begins (§16.1)", async () => {
    expect(problem(await list("11", { start: "2026-02-30" }))).to.deep.equal([
      400,
      { message: "start debe ser una fecha ISO 8601" },
    ]);
    expect(problem(await list("11", { start: "2026-03-02", end: "2026-03-01" }))).to.deep.equal([
      400,
      { message: "start no puede ser posterior a end" },
    ]);
  });

  it("searches the business's default account unless another one is given (§16.2)", async () => {
    expect(await listed("12")).to.deep.equal([]);
    expect(ads(await listed("12", { accountId: "act_10" }))).to.have.length(1);
    expect(await listed("11", { accountId: "act_10" })).to.deep.equal([]);
    expect(await listed("11", { accountId: "1" })).to.have.length(2);
  });

  it("searches all accounts of a business without a default one (§16.2)", async () => {
    await world.rows("update ad_credentials set default_account_id = null where business_id = 1");
    try {
      expect(await listed("12")).to.have.length(1);
      expect(await listed("11")).to.have.length(2);
    } finally {
      await world.rows("update ad_credentials set default_account_id = 'act_1' where business_id = 1");
    }
  });

  it("returns an empty list for an unknown campaign (§16.2)", async () => {
    for (const id of ["21", "999", "x"]) expect(await listed(id)).to.deep.equal([]);
  });

  it("returns an empty list for an account, although it has ad sets (§16.2)", async () => {
    for (const id of ["act_1", "act_10", "act_2"]) expect(await listed(id), id).to.deep.equal([]);
  });

  it("returns an empty list for an ad and for an ad set (§16.2)", async () => {
    for (const id of ["111", "1190"]) expect(await listed(id)).to.deep.equal([]);
  });

  it("lists all ad sets from all pages of the platform (§16)", async () => {
    const adSets = await listed("13");
    expect(adSets).to.have.length(60);
    expect(new Set(adSets.map(({ id }) => id)).size).to.equal(60);
    expect(ads(adSets)).to.have.length(60);
  });

  it("answers 400 'Missing token' for a business without one (§16.4)", async () => {
    expect(problem(await list("11", {}, 3, 3))).to.deep.equal([400, { message: "Missing token" }]);
  });

  it("answers 400 for another business as for a missing one (§16)", async () => {
    const foreign = await list("21", {}, 2);
    expect(problem(foreign)).to.deep.equal([400, { message: "No se encontró una empresa con ese id" }]);
    expect(problem(await list("21", {}, 987_654))).to.deep.equal(problem(foreign));
  });

  it("answers 500 while the platform fails, and is right afterwards (§16.5)", async () => {
    const query = { datePreset: "last_30d" };
    for (const fault of [{ code: 190 }, { status: 503 }, { garbage: true }, { reset: true }]) {
      await world.control("POST", "/faults", { ...fault, count: 2, path: "adsets" });
      expect(problem(await list("11", query)), JSON.stringify(fault)).to.deep.equal([
        500,
        { message: "Internal server error" },
      ]);
      await world.control("DELETE", "/faults");
    }
    expect(await listed("11", query)).to.have.length(2);
  });

  it("refuses ids with path segments (§16)", async () => {
    const answer = await list("..%2F..%2Fme");
    expect(problem(answer)).to.deep.equal([400, { message: "campaignId no es válido" }]);
  });

  it("checks the App Key first", async () => {
    expect((await request(`${world.api}/empresas/campaigns/1/11`)).status).to.equal(401);
  });

  describe("GET /empresas/campaigns/{businessId}/accounts", () => {
    const accounts = (businessId = 1, key = 1) => world.get(`/empresas/campaigns/${businessId}/accounts`, key);

    it("lists only the accounts to which the business's token gives access (§16.6)", async () => {
      const account = (id: string) => ({ id, name: `Cuenta ${id}`, currency: "USD", account_status: 1 });
      expect((await accounts()).json).to.deep.equal({ data: [account("act_1"), account("act_10")] });
      expect((await accounts(2, 2)).json).to.deep.equal({ data: [account("act_2")] });
    });

    it("fails with the same messages as the other endpoints (§16.7)", async () => {
      expect(problem(await accounts(2))).to.deep.equal([400, { message: "No se encontró una empresa con ese id" }]);
      expect(problem(await accounts(3, 3))).to.deep.equal([400, { message: "Missing token" }]);
      await resolve(world.container, tokens.adCredentials).put(3, "revoked", null);
      expect(problem(await accounts(3, 3))).to.deep.equal([500, { message: "Internal server error" }]);
    });
  });

  it("stores the token encrypted, and never returns it", async () => {
    const rows = await world.rows<{ sealed: string }>(
      "select encode(sealed_token, 'escape') as sealed from ad_credentials",
    );
    for (const { sealed } of rows) expect(sealed).not.to.include("ads-token");
    for (const answer of [await list("11"), await world.get("/empresas/campaigns/1/accounts")]) {
      expect(answer.text).not.to.include("ads-token");
    }
  });
});

describe("the reported ads", () => {
  useRealNetwork();
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [shop, other, aBusiness(3, { ads: null })], environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const adsOf = (accountId: string, businessId = 1, from = day(1), to = day(0)) =>
    resolve(world.container, tokens.reportedAds).adsOf(businessId, accountId, {
      from: new Date(`${from}T00:00:00-04:00`),
      until: new Date(Date.parse(`${to}T23:59:59.999-04:00`) + 1),
    });

  it("are all ads of the account, with name, picture, and spend in the period", async () => {
    const ads = (await adsOf("act_1")).filter(({ adId }) => adId.startsWith("11"));
    expect(ads).to.deep.equal([
      { adId: "111", name: "Anuncio 111", imageUrl: "https://media.test/111.jpg", spend: 3.5, currency: "USD" },
      { adId: "112", name: "Anuncio 112", imageUrl: "https://media.test/112.jpg", spend: 0, currency: null },
      { adId: "113", name: "Anuncio 113", imageUrl: "https://media.test/113.jpg", spend: 0.25, currency: "USD" },
    ]);
    const yesterday = await adsOf("act_1", 1, day(1), day(1));
    expect(yesterday.filter(({ spend }) => spend > 0)).to.deep.equal([{ ...ads[0], spend: 2 }]);
  });

  it("are empty for an inaccessible account, and fail without a token", async () => {
    expect(await adsOf("act_2")).to.deep.equal([]);
    const failure = await adsOf("act_1", 3).catch((error: unknown) => error);
    expect(failure).to.have.property("code", "missing_token");
  });
});

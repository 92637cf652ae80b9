import { expect } from "chai";
import { useRealNetwork } from "../http-client/nocked.ts";
import { request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { aCampaign, anAccount, anAd, begin, day, register } from "./support.ts";

const spending = aCampaign("11", [[anAd("111", { [day(0)]: "0.10", [day(3)]: "7.00" })], [anAd("112")]], {
  name: "Almuerzos",
  lifetimeBudget: "350000",
  budgetRemaining: "1200",
  startTime: "2026-01-01T08:00:00-0400",
  stopTime: "2026-12-31T20:00:00Z",
});
const alsoSpending = aCampaign("12", [[anAd("121", { [day(0)]: "0.20" })]], { status: "PAUSED" });
const selling = aCampaign("13", [[anAd("131")]]);
const quoted = aCampaign("14", [[anAd("141")]]);
const idle = aCampaign("15", [[anAd("151")], []]);
const chatting = aCampaign("16", [[anAd("161")]]);
const many = aCampaign("31", [
  Array.from({ length: 60 }, (_, n) => anAd(`31${String(n).padStart(3, "0")}`, { [day(0)]: "0.01" })),
]);

const shop = aBusiness(1, {
  ads: {
    token: "ads-token-1",
    defaultAccountId: "act_1",
    accounts: [
      anAccount("act_1", [spending, alsoSpending, selling, quoted, idle, chatting]),
      anAccount("act_20", []),
      anAccount(
        "act_70",
        ["701", "702", "703"].map((id) =>
          aCampaign(id, [[1, 2, 3].map((ad) => anAd(`${id}${ad}`, { [day(0)]: "0.01" }))]),
        ),
      ),
      anAccount("act_60", [aCampaign("61", [[anAd("611", { [day(0)]: "4.00" })]])]),
      anAccount("act_30", [many]),
      anAccount(
        "act_40",
        Array.from({ length: 120 }, (_, n) =>
          aCampaign(`4${n + 100}`, [[anAd(`4${n + 100}1`, n === 119 ? { [day(0)]: "3.00" } : {})]]),
        ),
      ),
      anAccount(
        "act_50",
        Array.from({ length: 120 }, (_, n) => aCampaign(`5${n + 100}`, [[anAd(`5${n + 100}1`, { [day(0)]: "0.01" })]])),
      ),
    ],
  },
});
const other = aBusiness(2, {
  ads: {
    token: "ads-token-2",
    defaultAccountId: "act_2",
    accounts: [anAccount("act_2", [aCampaign("21", [[anAd("211", { [day(0)]: "9.00" })]])])],
  },
});

describe("GET /empresas/campaigns/{businessId}: list ad campaigns", () => {
  useRealNetwork();
  let world: World;
  before(async () => {
    world = await startWorld({ businesses: [shop, other, aBusiness(3, { ads: null })], environment: { ROLE: "api" } });
    await register(world, { adId: "131" });
    await register(world, { adId: "131" });
    await register(world, { adId: "111" });
    await register(world, { adId: "111", closed: false });
    await register(world, { adId: "111", type: "quotation" });
    await register(world, { adId: "141", type: "quotation", closed: false });
    await register(world, { adId: null });
    // Business 2 also has a sale of the ad 131.
    await register(world, { adId: "131", businessId: 2 });
    await begin(world, "111");
    await begin(world, "161");
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.control("PUT", "/ads/behaviour", {});
    await world.control("DELETE", "/faults");
  });

  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  type Json = any;
  const list = async (query: Readonly<Record<string, string>> = {}, businessId: number | string = 1, key = 1) =>
    await world.get(
      `/empresas/campaigns/${businessId}?${new URLSearchParams({ datePreset: "today", accountId: "act_1", ...query })}`,
      key,
    );
  const listed = async (query: Readonly<Record<string, string>> = {}): Promise<Json> => {
    const answer = await list(query);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json;
  };
  const idsOf = (body: Json): string[] => body.data.map(({ id }: Json) => id);
  const problem = ({ status, json }: { status: number; json: unknown }) => [status, json];

  it("answers campaigns with the documented fields (§15)", async () => {
    const { data, ...rest } = await listed();
    expect(rest).to.deep.equal({ totalSales: 3, totalSpend: 0.3, totalQuotations: 2, next: null });
    expect(data[0]).to.deep.equal({
      id: "11",
      name: "Almuerzos",
      status: "ACTIVE",
      lifetime_budget: "350000",
      budget_remaining: "1200",
      start_time: "2026-01-01T08:00:00-04:00",
      stop_time: "2026-12-31T20:00:00Z",
      sales_totales: 1,
      insights: { data: [{ account_currency: "USD", spend: "0.10" }] },
      ads: {
        data: [
          {
            id: "111",
            name: "Anuncio 111",
            source_ad_id: "0",
            mensajes_iniciados: 1,
            ventas: 1,
            cotizaciones: 1,
            insights: { data: [{ account_currency: "USD", spend: "0.10" }] },
          },
          {
            id: "112",
            name: "Anuncio 112",
            source_ad_id: "0",
            mensajes_iniciados: 0,
            ventas: 0,
            cotizaciones: 0,
            insights: { data: [] },
          },
        ],
      },
    });
    expect(data[2]).to.include({ status: "ACTIVE", lifetime_budget: null, stop_time: null });
  });

  it("returns only campaigns with an ad that has spend, sales or quotations (§15.2)", async () => {
    expect(idsOf(await listed())).to.deep.equal(["11", "12", "13", "14"]);
    expect(idsOf(await listed({ datePreset: "yesterday" }))).to.deep.equal(["11", "13", "14"]);
  });

  it("sums the returned campaigns exactly, without binary rounding (§15.3)", async () => {
    for (const datePreset of ["today", "yesterday", "last_7d", "last_30d", "this_month", "maximum"]) {
      const body = await listed({ datePreset });
      const cents = (sum: number, campaign: Json) => {
        const [row] = campaign.insights.data;
        return sum + Math.round(Number(row?.spend ?? 0) * 100);
      };
      expect(body.totalSpend).to.equal(body.data.reduce(cents, 0) / 100);
      expect(body.totalSales).to.equal(body.data.reduce((sum: number, each: Json) => sum + each.sales_totales, 0));
      const quotations = body.data.flatMap((each: Json) => each.ads.data.map((ad: Json) => ad.cotizaciones));
      expect(body.totalQuotations).to.equal(quotations.reduce((sum: number, each: number) => sum + each, 0));
      for (const campaign of body.data) {
        const sales = campaign.ads.data.reduce((sum: number, ad: Json) => sum + ad.ventas, 0);
        expect(campaign.sales_totales).to.equal(sales);
      }
    }
    expect(await listed({ datePreset: "last_7d" })).to.include({ totalSpend: 7 });
    expect(await listed({ datePreset: "maximum" })).to.include({ totalSpend: 7.3 });
  });

  it("sums the spend from start to end for that preset, and requires both (§15.1)", async () => {
    const datePreset = "period";
    const today = await listed({ datePreset, start: day(0), end: day(0) });
    expect(today.totalSpend).to.equal((await listed()).totalSpend);
    const week = await listed({ datePreset, start: day(7), end: day(1) });
    expect(week.totalSpend).to.equal(7);
    const noDate = (bound: string) => [400, { message: `${bound} debe ser una fecha ISO 8601` }];
    expect(problem(await list({ datePreset, end: day(0) }))).to.deep.equal(noDate("start"));
    expect(problem(await list({ datePreset, start: day(0) }))).to.deep.equal(noDate("end"));
  });

  it("counts closed sales and all quotations of exactly that ad and business (§15.5)", async () => {
    const { data } = await listed();
    const figures = Object.fromEntries(
      data.flatMap((each: Json) => each.ads.data.map((ad: Json) => [ad.id, [ad.ventas, ad.cotizaciones]])),
    );
    expect(figures).to.deep.equal({ 111: [1, 1], 112: [0, 0], 121: [0, 0], 131: [2, 0], 141: [0, 1] });
  });

  it("counts a new sale at once, even if the platform's answer is cached (§15.9)", async () => {
    const before = await listed({ accountId: "act_30" });
    await register(world, { adId: "31000" });
    const after = await listed({ accountId: "act_30" });
    expect(after.totalSales).to.equal(before.totalSales + 1);
  });

  describe("filters by start and end (§15.1)", () => {
    const salesOf = async (query: Readonly<Record<string, string>>): Promise<number> =>
      (await listed({ accountId: "act_20b", ...query })).totalSales;
    before(async () => {
      await world.control("POST", "/ads/accounts", {
        ...anAccount("act_20b", [aCampaign("71", [[anAd("711")]])]),
        token: "ads-token-1",
      });
      // In La Paz, the first sale is still on March 10, at 23:59:59.9995. The second one is at 00:00 on March 11.
      await register(world, { adId: "711", at: "2026-03-11T03:59:59.9995Z" });
      await register(world, { adId: "711", at: "2026-03-11T04:00:00Z" });
      await register(world, { adId: "711", at: "2026-03-11T15:00:00Z" });
    });

    it("in the business's zone, where a date as the end includes all of that day", async () => {
      expect(await salesOf({})).to.equal(3);
      expect(await salesOf({ start: "2026-03-10", end: "2026-03-10" })).to.equal(1);
      expect(await salesOf({ start: "2026-03-11", end: "2026-03-11" })).to.equal(2);
      expect(await salesOf({ start: "2026-03-11" })).to.equal(2);
      expect(await salesOf({ end: "2026-03-10" })).to.equal(1);
    });

    it("at exact times with or without a zone", async () => {
      expect(await salesOf({ start: "2026-03-11T04:00:00Z", end: "2026-03-11T15:00:00Z" })).to.equal(2);
      expect(await salesOf({ start: "2026-03-11T00:00:00", end: "2026-03-11T10:59:59" })).to.equal(1);
    });

    it("but refuses an impossible date, and an end before the start", async () => {
      const wrong = { start: "start debe ser una fecha ISO 8601", end: "end debe ser una fecha ISO 8601" };
      for (const date of ["2026-02-30", "ayer", "2026-13-01", ""]) {
        expect(problem(await list({ start: date }))).to.deep.equal([400, { message: wrong.start }]);
        expect(problem(await list({ end: date }))).to.deep.equal([400, { message: wrong.end }]);
      }
      expect(problem(await list({ start: "2026-03-11", end: "2026-03-10" }))).to.deep.equal([
        400,
        { message: "start no puede ser posterior a end" },
      ]);
    });
  });

  it("returns only active campaigns on request, or else all (§15.6)", async () => {
    expect(idsOf(await listed({ showOnlyActives: "true" }))).to.deep.equal(["11", "13", "14"]);
    expect(idsOf(await listed({ showOnlyActives: "false" }))).to.include("12");
  });

  it("continues from `next`, given as `after`, to the end, with each campaign once (§15.4)", async () => {
    const seen: string[] = [];
    let after: Readonly<Record<string, string>> = {};
    let spend = 0;
    for (let pages = 1; ; pages += 1) {
      expect(pages).to.be.below(10);
      const body = await listed({ accountId: "act_50", ...after });
      expect(body.totalSpend).to.equal(body.data.length / 100);
      spend += Math.round(body.totalSpend * 100);
      seen.push(...idsOf(body));
      if (body.next === null) break;
      after = { after: body.next };
    }
    expect(seen).to.have.length(120);
    expect(new Set(seen).size).to.equal(120);
    expect(spend).to.equal(120);
  });

  it("skips pages without matching campaigns (§15.2)", async () => {
    const body = await listed({ accountId: "act_40" });
    expect(idsOf(body)).to.deep.equal(["4219"]);
    expect(body).to.include({ totalSpend: 3, next: null });
  });

  it("returns an empty page with `next` after ten such pages (§15.2)", async () => {
    await world.control("PUT", "/ads/behaviour", { shortPages: 5 });
    const body = await listed({ accountId: "act_40", datePreset: "yesterday" });
    expect(body).to.deep.include({ data: [], totalSpend: 0 });
    expect(body.next).to.be.a("string");
    await world.control("PUT", "/ads/behaviour", {});
    const rest = await listed({ accountId: "act_40", datePreset: "yesterday", after: body.next });
    expect(rest).to.deep.include({ data: [], next: null });
  });

  it("refuses an invalid cursor (§15.4)", async () => {
    expect(problem(await list({ after: "nonsense" }))).to.deep.equal([400, { message: "after no es válido" }]);
    expect(problem(await list({ after: "" }))).to.deep.equal([400, { message: "after no puede estar vacío" }]);
  });

  it("has all ads of a campaign from all pages of the platform (§15)", async () => {
    const body = await listed({ accountId: "act_30", datePreset: "last_7d" });
    expect(body.data[0].ads.data).to.have.length(60);
    expect(new Set(body.data[0].ads.data.map(({ id }: Json) => id)).size).to.equal(60);
  });

  it("requests a whole page of campaigns from the platform, and not each campaign or ad", async () => {
    const before = await world.control("GET", "/ads/requests");
    await listed({ datePreset: "this_month", showOnlyActives: "true", start: "2026-01-01" });
    expect((await world.control("GET", "/ads/requests")).requests - before.requests).to.equal(1);
  });

  it("is complete if the platform's pages are short, empty or limited in size (§15)", async () => {
    await world.control("PUT", "/ads/behaviour", { emptyFirstPages: true, shortPages: 1, reduceAbove: 3 });
    const seen: [string, number][] = [];
    let after: Readonly<Record<string, string>> = {};
    for (;;) {
      const body = await listed({ accountId: "act_70", ...after });
      seen.push(...body.data.map(({ id, ads }: Json) => [id, ads.data.length]));
      expect(body.totalSpend).to.equal(0.03 * body.data.length);
      if (body.next === null) break;
      after = { after: body.next };
    }
    expect(seen).to.deep.equal([
      ["701", 3],
      ["702", 3],
      ["703", 3],
    ]);
  });

  it("returns an empty list for an account without campaigns, and for an inaccessible one (§15.7)", async () => {
    const none = { data: [], totalSales: 0, totalSpend: 0, totalQuotations: 0, next: null };
    for (const accountId of ["act_20", "act_2", "act_999"]) expect(await listed({ accountId })).to.deep.equal(none);
  });

  it("also accepts the account's id without its prefix", async () => {
    expect(await listed({ accountId: "1" })).to.deep.equal(await listed());
  });

  it("answers 400 for another business as for a missing one (§15)", async () => {
    const [foreign, missing] = [await list({}, 2), await list({}, 987_654)];
    expect(problem(foreign)).to.deep.equal([400, { message: "No se encontró una empresa con ese id" }]);
    expect(problem(missing)).to.deep.equal(problem(foreign));
  });

  it("answers 400 'Missing token' for a business without one (§15.8)", async () => {
    expect(problem(await list({}, 3, 3))).to.deep.equal([400, { message: "Missing token" }]);
  });

  const wrong: [query: Record<string, string>, message: string][] = [
    [{ datePreset: "" }, "datePreset no es un valor permitido"],
    [{ datePreset: "last_14d" }, "datePreset no es un valor permitido"],
    [{ accountId: "" }, "accountId no es válido"],
    [{ accountId: "../me" }, "accountId no es válido"],
    [{ accountId: "act_1?fields=x" }, "accountId no es válido"],
    [{ showOnlyActives: "yes" }, "showOnlyActives debe ser un booleano"],
  ];
  for (const [query, message] of wrong) {
    it(`answers 400 to ${JSON.stringify(query)} (§15)`, async () => {
      expect(problem(await list(query))).to.deep.equal([400, { message }]);
    });
  }

  it("requires datePreset and accountId (§15)", async () => {
    const without = (query: string) => world.get(`/empresas/campaigns/1?${query}`);
    expect(problem(await without("accountId=1"))).to.deep.equal([400, { message: "datePreset es requerido" }]);
    expect(problem(await without("datePreset=today"))).to.deep.equal([400, { message: "accountId es requerido" }]);
  });

  it("checks the App Key first", async () => {
    const answer = await request(`${world.api}/empresas/campaigns/1?datePreset=x`);
    expect(problem(answer)).to.deep.equal([401, { message: "Invalid API key" }]);
  });

  it("answers 500 while the platform fails, and is right afterwards (§15.9)", async () => {
    // No other test uses this account, so nothing is cached.
    const failing = { accountId: "act_60" };
    for (const fault of [{ code: 190 }, { code: 1 }, { status: 502 }, { garbage: true }, { reset: true }]) {
      await world.control("POST", "/faults", { ...fault, count: 2, path: "campaigns" });
      expect(problem(await list(failing)), JSON.stringify(fault)).to.deep.equal([
        500,
        { message: "Internal server error" },
      ]);
      await world.control("DELETE", "/faults");
    }
    expect(await listed(failing)).to.include({ totalSpend: 4 });
  });

  it("returns Retry-After while the platform limits requests (§15.9)", async () => {
    await world.control("POST", "/faults", { code: 17, path: "campaigns", retry_after: 30 });
    const busy = await list({ accountId: "act_20c" });
    expect(problem(busy)).to.deep.equal([500, { message: "Internal server error" }]);
    expect(Number(busy.headers["retry-after"])).to.be.within(1, 30);
    expect(Number((await list({ accountId: "act_20c" })).headers["retry-after"])).to.be.within(1, 30);
    // Other accounts are not affected.
    expect((await list({ accountId: "act_20" })).status).to.equal(200);
  });
});

describe("GET /empresas/campaigns/{businessId} without an ad platform", () => {
  useRealNetwork();
  it("answers 500", async () => {
    const world = await startWorld({ businesses: [shop], environment: { ROLE: "api", ADS_PLATFORM_URL: "" } });
    try {
      const answer = await world.get("/empresas/campaigns/1?datePreset=today&accountId=act_1");
      expect([answer.status, answer.json]).to.deep.equal([500, { message: "Internal server error" }]);
    } finally {
      await world.stop();
    }
  });
});

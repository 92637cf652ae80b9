import { expect } from "chai";
import fc from "fast-check";
import nock from "nock";
import { accountsRoute } from "../../src/ads/adapters/http/accounts.route.ts";
import { campaignsRoute } from "../../src/ads/adapters/http/campaigns.route.ts";
import { MarketingApi } from "../../src/ads/adapters/http-client/marketing-api.ts";
import { UsageLimits } from "../../src/ads/adapters/http-client/usage.ts";
import { RememberedAds } from "../../src/ads/adapters/memory/remembered-ads.ts";
import { ListAccounts } from "../../src/ads/application/list-accounts.ts";
import { ListCampaigns } from "../../src/ads/application/list-campaigns.ts";
import type { AdPlatform, CampaignPage } from "../../src/ads/application/ports.ts";
import { ReportedAds } from "../../src/ads/application/reported-ads.ts";
import { spendNumber, spendOf } from "../../src/ads/domain/ads.ts";
import { AdPlatformBusy, AdPlatformUnavailable } from "../../src/ads/domain/failures.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { redact } from "../../src/infra/telemetry/redact.ts";
import { useNock } from "../http-client/nocked.ts";
import { eventually } from "../support/wait.ts";

const host = "https://graph.test";
const path = "/v23.0/act_1/campaigns";
const access = { businessId: 1, token: "EAAsecret" };
const query = { accountId: "act_1", spentOn: "last_7d", onlyActive: false, after: null } as const;

// biome-ignore lint/suspicious/noExplicitAny: invalid on purpose
type Json = any;

const ad = (id: string, spend?: unknown, more: object = {}) => ({
  id,
  name: `Ad ${id}`,
  ...(spend !== undefined && { insights: { data: [{ spend, account_currency: "USD" }] } }),
  ...more,
});
const campaign = (id: string, ads: Json = { data: [ad(`${id}1`, "1.00")] }, more: object = {}) => ({
  id,
  name: `Campaign ${id}`,
  status: "ACTIVE",
  budget_remaining: "0",
  start_time: "2026-01-01T00:00:00+0000",
  insights: { data: [{ spend: "1.00", account_currency: "USD", date_start: "2026-01-01", date_stop: "2026-01-07" }] },
  ads,
  ...more,
});
const page = (data: readonly unknown[], paging?: object) => ({ data, ...(paging && { paging }) });
const error = (code: number, subcode?: number, message = "no") => ({
  error: { message, type: "OAuthException", code, ...(subcode && { error_subcode: subcode }) },
});

describe("the client of the ad platform", () => {
  useNock();
  let client: HttpClient;
  let now = 0;
  beforeEach(() => {
    client = new HttpClient();
    now = 0;
  });
  afterEach(() => client.close());

  const timeouts = { connectMs: 1_000, requestMs: 5_000, totalMs: 10_000 };
  const api = (more: Partial<typeof timeouts> = {}) =>
    new MarketingApi(
      { client, baseUrl: host, version: "v23.0", timeouts: { ...timeouts, ...more } },
      new UsageLimits(() => now),
    );
  const answer = (body: object | string, status = 200, headers: Record<string, string> = {}) =>
    nock(host).get(path).query(true).reply(status, body, headers);
  const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      await work;
    } catch (failure) {
      return failure;
    }
    throw new Error("it did not fail");
  };
  const ids = ({ campaigns }: CampaignPage) => campaigns.map(({ id }) => id);

  it("requests a page with all fields, with the token only in a header", async () => {
    let asked: { url: URL; authorization: unknown } | undefined;
    nock(host)
      .get(path)
      .query(true)
      .reply(function (uri) {
        asked = { url: new URL(uri, host), authorization: this.req.headers.authorization };
        return [200, page([])];
      });
    await api().campaigns(access, { ...query, onlyActive: true, after: "c1" });
    expect(asked?.authorization).to.equal("Bearer EAAsecret");
    expect(asked?.url.href).not.to.include("EAAsecret");
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).to.deep.equal({
      fields:
        "id,name,status,effective_status,lifetime_budget,budget_remaining,start_time,stop_time," +
        "insights.date_preset(last_7d){spend,account_currency}," +
        "ads{id,name,source_ad_id,insights.date_preset(last_7d){spend,account_currency}}",
      effective_status: '["ACTIVE"]',
      after: "c1",
      limit: "50",
    });
  });

  it("returns the next cursor also for a short or empty page", async () => {
    const paging = { cursors: { after: "c2" }, next: `${host}${path}?after=c2&access_token=EAAsecret` };
    answer(page([], paging));
    expect(await api().campaigns(access, query)).to.deep.equal({ campaigns: [], next: "c2" });
    answer(page([campaign("1")], { next: `${host}${path}?after=c3` }));
    expect((await api().campaigns(access, query)).next).to.equal("c3");
    answer(page([campaign("1")], { cursors: { after: "c4" } }));
    expect((await api().campaigns(access, query)).next).to.equal(null);
  });

  it("returns a campaign once if the platform repeats it", async () => {
    answer(page([campaign("1"), campaign("2"), campaign("1")]));
    const sales = { byAd: async () => new Map() };
    const settings = { token: "EAAsecret", defaultAccountId: null, timezone: "UTC" };
    const listed = await new ListCampaigns({ of: async () => settings }, api(), sales).execute({
      ...{ businessId: 1, preset: query.spentOn, start: null, end: null },
      ...query,
    });
    expect(listed.campaigns.map(({ id }) => id)).to.deep.equal(["1", "2"]);
    expect(spendNumber(listed.totalSpend)).to.equal(2);
  });

  it("omits inactive campaigns that the platform's filter returns", async () => {
    answer(page([campaign("1", undefined, { effective_status: "PAUSED" }), campaign("2")]));
    expect(ids(await api().campaigns(access, { ...query, onlyActive: true }))).to.deep.equal(["2"]);
  });

  describe("reading more of a campaign's ads", () => {
    const rest = "/v23.0/1/ads";
    const first = (next: string, cursors: object = { after: "a1" }) =>
      answer(page([campaign("1", { data: [ad("11", "1.00")], paging: { cursors, next } })]));
    const adsOf = async () => (await api().campaigns(access, query)).campaigns[0]?.ads.map(({ id }) => id);

    it("uses the platform's URL without the token in it", async () => {
      first(`${host}${rest}?access_token=EAAsecret&fields=id&limit=25&after=a1`);
      const scope = nock(host)
        .get(rest)
        .query((asked) => asked.access_token === undefined && asked.after === "a1")
        .matchHeader("authorization", "Bearer EAAsecret")
        .reply(200, page([ad("12", "2.00"), ad("11", "1.00")]));
      expect(await adsOf()).to.deep.equal(["11", "12"]);
      scope.done();
    });

    it("uses the cursor at the platform's own host if the URL is at another one", async () => {
      first("https://elsewhere.test/steal?after=a1");
      nock(host)
        .get(rest)
        .query((asked) => asked.after === "a1" && String(asked.fields).startsWith("id,name,source_ad_id,insights"))
        .reply(200, page([ad("12")]));
      expect(await adsOf()).to.deep.equal(["11", "12"]);
    });

    it("fails if the platform does not show what it listed, or refuses its own cursor", async () => {
      for (const refusal of [error(100, 33), error(100, undefined, "(#100) Invalid cursors values")]) {
        first(`${host}${rest}?after=a1`);
        nock(host).get(rest).query(true).reply(400, refusal);
        expect(await failureOf(adsOf())).to.be.instanceOf(AdPlatformUnavailable);
      }
    });

    it("fails without a cursor, in a cycle, and after too many pages", async () => {
      first("https://elsewhere.test/steal", {});
      expect(await failureOf(adsOf())).to.be.instanceOf(AdPlatformUnavailable);

      first(`${host}${rest}?after=a1`);
      const circle = { next: `${host}${rest}?after=a1` };
      nock(host)
        .get(rest)
        .query(true)
        .times(2)
        .reply(200, page([ad("12")], circle));
      expect(await failureOf(adsOf())).to.be.instanceOf(AdPlatformUnavailable);

      first(`${host}${rest}?after=0`);
      let count = 0;
      nock(host)
        .get(rest)
        .query(true)
        .times(500)
        .reply(() => [200, page([], { next: `${host}${rest}?after=${++count}` })]);
      expect(await failureOf(adsOf())).to.be.instanceOf(AdPlatformUnavailable);
      expect(count).to.be.below(500);
    });
  });

  describe("the ad sets of a campaign", () => {
    const adSet = (id: string, of: string) => ({ id, name: `Set ${id}`, campaign: campaign(of, { data: [] }) });
    const adSets = (campaignId: string) => api().adSets(access, campaignId, "today", null);

    it("are only those that name the campaign", async () => {
      nock(host)
        .get("/v23.0/1/adsets")
        .query(true)
        .reply(200, page([adSet("s1", "1"), adSet("s2", "2")]));
      expect((await adSets("1")).map(({ id }) => id)).to.deep.equal(["s1"]);
    });

    it("are returned once if the platform repeats one, on one page or two", async () => {
      const [first, second] = [adSet("s1", "1"), adSet("s2", "1")];
      const next = `${host}/v23.0/1/adsets?after=p2`;
      const asked = () => nock(host).get("/v23.0/1/adsets");
      asked()
        .query(({ after }) => after === undefined)
        .reply(200, page([first, first], { next }));
      asked()
        .query(({ after }) => after === "p2")
        .reply(200, page([first, second]));
      expect((await adSets("1")).map(({ id }) => id)).to.deep.equal(["s1", "s2"]);
    });

    it("are missing for objects without ad sets, and fail if the platform denies the field of a campaign or another field", async () => {
      const codeOf = async (field: string, type: string) => {
        const message = `(#100) Tried accessing nonexisting field (${field}) on node type (${type})`;
        nock(host)
          .get("/v23.0/1/adsets")
          .query(true)
          .reply(400, error(100, undefined, message));
        return ((await failureOf(adSets("1"))) as { code?: string }).code;
      };
      for (const type of ["Ad", "Adgroup", "AdSet", "AdCampaign", "User"]) {
        expect(await codeOf("adsets", type), type).to.equal("not_shown");
      }
      for (const type of ["Campaign", "AdCampaignGroup"]) {
        expect(await codeOf("adsets", type), type).to.equal("ad_platform_unavailable");
      }
      expect(await codeOf("source_ad_id", "Adgroup")).to.equal("ad_platform_unavailable");
    });

    it("are not requested for an account", async () => {
      // No request is sent: nock would refuse it.
      expect(await failureOf(adSets("act_1"))).to.have.property("code", "not_shown");
    });
  });

  it("requests smaller pages if the platform refuses the size, down to one object", async () => {
    const limits: unknown[] = [];
    const refusals: [object, number][] = [
      [error(100, 1504018), 400],
      [error(1, undefined, "Please reduce the amount of data you're asking for, then retry your request"), 500],
    ];
    nock(host)
      .get(path)
      .query((asked) => limits.push(asked.limit) > 0)
      .times(20)
      .reply(() => {
        if (limits.at(-1) === "1") return [200, page([campaign("1")])];
        const [body, status] = refusals[limits.length % 2] ?? [];
        return [status ?? 500, body];
      });
    expect(ids(await api().campaigns(access, query))).to.deep.equal(["1"]);
    expect([...new Set(limits)]).to.deep.equal(["50", "25", "12", "6", "3", "1"]);
  });

  it("fails if even one object is too much", async () => {
    nock(host).get(path).query(true).times(20).reply(400, error(100, 1504018));
    expect(await failureOf(api().campaigns(access, query))).to.be.instanceOf(AdPlatformUnavailable);
  });

  describe("a platform that limits requests", () => {
    for (const code of [4, 17, 613, 80_000, 80_004]) {
      it(`gets no requests after code ${code}, with growing pauses, for each account on its own`, async () => {
        const platform = api();
        answer(error(code), 400);
        expect(await failureOf(platform.campaigns(access, query))).to.include({ retryAfterSeconds: 2 });
        // No further request is sent: nock would refuse it.
        expect(await failureOf(platform.campaigns(access, query))).to.be.instanceOf(AdPlatformBusy);
        now += 2_000;
        answer(error(code), 400);
        expect(await failureOf(platform.campaigns(access, query))).to.include({ retryAfterSeconds: 4 });
        nock(host).get("/v23.0/act_2/campaigns").query(true).reply(200, page([]));
        await platform.campaigns(access, { ...query, accountId: "act_2" });
        answer(page([]));
        await platform.campaigns({ ...access, businessId: 2 }, query);
        now += 4_000;
        answer(page([]));
        await platform.campaigns(access, query);
      });
    }

    const regain = (minutes: number) => ({ 1: [{ call_count: 100, estimated_time_to_regain_access: minutes }] });
    const said: [headers: Readonly<Record<string, object>>, seconds: number][] = [
      [{ "x-business-use-case-usage": regain(3) }, 180],
      [{ "x-ad-account-usage": { acc_id_util_pct: 100, reset_time_duration: 90 } }, 90],
      [
        {
          "x-ad-account-usage": { acc_id_util_pct: 91, reset_time_duration: 30 },
          "x-business-use-case-usage": regain(0),
        },
        30,
      ],
    ];
    for (const [usage, seconds] of said) {
      it(`gets no requests after a refusal with ${JSON.stringify(usage)}, and callers learn the time`, async () => {
        const credentials = { of: async () => ({ token: "EAAsecret", defaultAccountId: null, timezone: "UTC" }) };
        const route = accountsRoute(new ListAccounts(credentials, api()));
        const list = () => route.handle({ params: { businessId: 1 }, caller: { businessId: 1, keyId: 1 } } as never);
        const asked = () => nock(host).get("/v23.0/me/adaccounts").query(true);
        const written = Object.entries(usage).map(([name, value]) => [name, JSON.stringify(value)]);
        asked().reply(400, error(80_004), { ...Object.fromEntries(written), "retry-after": "5" });
        expect(await list()).to.deep.include({ status: 500, headers: { "Retry-After": String(seconds) } });

        const allowed = asked().reply(200, page([]));
        now += seconds * 1_000 - 1;
        expect(await list()).to.deep.include({ status: 500, headers: { "Retry-After": "1" } });
        expect(allowed.isDone(), "asked again").to.equal(false);
        now += 1;
        expect(await list()).to.deep.equal({ data: [] });
      });
    }

    const headers: [name: string, value: object, seconds: number][] = [
      ["x-business-use-case-usage", { 1: [{ call_count: 99, estimated_time_to_regain_access: 0 }] }, 60],
      ["x-ad-account-usage", { acc_id_util_pct: 100, reset_time_duration: 0 }, 60],
      ["x-business-use-case-usage", { 1: [{ type: "ads_insights", estimated_time_to_regain_access: 3 }] }, 180],
      ["x-business-use-case-usage", { 1: [{ type: "ads_insights", call_count: 100 }] }, 60],
      ["x-ad-account-usage", { acc_id_util_pct: 99.5, reset_time_duration: 90 }, 90],
      ["x-fb-ads-insights-throttle", { app_id_util_pct: 100, acc_id_util_pct: 3 }, 60],
    ];
    for (const [name, value, seconds] of headers) {
      it(`gets no requests after an answer with ${name} ${JSON.stringify(value)}`, async () => {
        const platform = api();
        answer(page([campaign("1")]), 200, { [name]: JSON.stringify(value) });
        expect(ids(await platform.campaigns(access, query))).to.deep.equal(["1"]);
        expect(await failureOf(platform.campaigns(access, query))).to.include({ retryAfterSeconds: seconds });
        now += seconds * 1_000;
        answer(page([]));
        await platform.campaigns(access, query);
      });
    }

    it("gets no requests even if an older request is answered after the refusal", () => {
      const limits = new UsageLimits(() => now);
      limits.refused("1 act_1", {});
      limits.answered("1 act_1", {});
      expect(() => limits.check("1 act_1")).to.throw(AdPlatformBusy);
    });

    it("gets requests while its limits are far away or its headers are unreadable", async () => {
      const platform = api();
      const far = { acc_id_util_pct: 50, reset_time_duration: 90 };
      for (const header of [JSON.stringify(far), "{", "[]", "null", '{"acc_id_util_pct":"a lot"}']) {
        answer(page([]), 200, { "x-ad-account-usage": header, "x-business-use-case-usage": header });
        await platform.campaigns(access, query);
      }
    });
  });

  it("distinguishes inaccessible objects from failures", async () => {
    const codeOf = async (body: object, status = 400) => {
      answer(body, status);
      return ((await failureOf(api().campaigns(access, query))) as { code?: string }).code;
    };
    for (const hidden of [error(100, 33), error(803)]) {
      expect(await codeOf(hidden)).to.equal("not_shown");
    }
    for (const forbidden of [error(10), error(200), error(294), {}]) {
      expect(await codeOf(forbidden, 403)).to.equal("ad_platform_unavailable");
    }
    expect(await codeOf(error(190), 401)).to.equal("ad_platform_unavailable");
    expect(await codeOf(error(100))).to.equal("ad_platform_unavailable");
    expect(await codeOf(error(100, undefined, "(#100) Invalid cursors values"))).to.equal("wrong_cursor");
  });

  it("repeats a request once after a temporary failure", async () => {
    for (const [body, status] of [
      ["<html>", 502],
      [error(2), 503],
      ['{"data":[', 200],
      ["", 500],
    ] as const) {
      answer(body, status);
      answer(page([campaign("1")]));
      expect(ids(await api().campaigns(access, query))).to.deep.equal(["1"]);
    }
    nock(host).get(path).query(true).replyWithError({ code: "ECONNRESET" });
    answer(page([campaign("1")]));
    expect(ids(await api().campaigns(access, query))).to.deep.equal(["1"]);
  });

  it("fails if the platform is too slow", async () => {
    nock(host).get(path).query(true).times(2).delay(5_000).reply(200, page([]));
    const failure = await failureOf(api({ requestMs: 60, totalMs: 100 }).campaigns(access, query));
    expect(failure).to.be.instanceOf(AdPlatformUnavailable);
    nock.abortPendingRequests();
  });

  it("treats missing values as empty", async () => {
    answer(page([campaign("1", { data: [ad("11")] }, { insights: undefined })]));
    answer(page([campaign("2", null, { ads: undefined })]));
    const bare = async () => (await api().campaigns(access, query)).campaigns[0];
    const { insights, ads } = (await bare()) ?? {};
    expect([insights, ads?.map((each) => [each.insights, each.creatives])]).to.deep.equal([[], [[[], []]]]);
    expect(await bare()).to.deep.include({ ads: [] });
  });

  describe("an invalid answer of the platform causes an error instead of a figure", () => {
    const invalid: Record<string, Json> = {
      "an object instead of a list": { data: { id: "1" } },
      "a list of texts": page(["1"]),
      null: page([null]),
      "a campaign without id": page([campaign("1", undefined, { id: undefined })]),
      "an id as a number": page([campaign("1", undefined, { id: 1 })]),
      "no status": page([campaign("1", undefined, { status: null })]),
      "a budget as a number": page([campaign("1", undefined, { lifetime_budget: 3_500 })]),
      "a budget with decimals": page([campaign("1", undefined, { budget_remaining: "12.5" })]),
      "a start that is not a date": page([campaign("1", undefined, { start_time: "soon" })]),
      "ads as a list": page([campaign("1", [ad("11")])]),
      "ads that are null": page([campaign("1", null)]),
      "insights that are null": page([campaign("1", undefined, { insights: null })]),
      "an ad's insights that are null": page([campaign("1", { data: [ad("11", undefined, { insights: null })] })]),
      "creatives that are null": page([campaign("1", { data: [ad("11", undefined, { adcreatives: null })] })]),
      "an ad without a name": page([campaign("1", { data: [{ id: "11" }] })]),
      "insights without data": page([campaign("1", undefined, { insights: {} })]),
      "two rows of insights": page([
        campaign("1", undefined, {
          insights: { data: [1, 2].map(() => ({ spend: "1.00", account_currency: "USD" })) },
        }),
      ]),
      "a next page that is not a URL": page([campaign("1")], { next: 7 }),
      "a next page without a cursor": page([campaign("1")], { next: `${host}${path}` }),
      "no currency": page([campaign("1", { data: [ad("11", "1.00", { insights: { data: [{ spend: "1.00" }] } })] })]),
    };
    for (const [what, body] of Object.entries(invalid)) {
      it(`with ${what}`, async () => {
        answer(body);
        expect(await failureOf(api().campaigns(access, query))).to.be.instanceOf(AdPlatformUnavailable);
      });
    }
    for (const spend of [
      12,
      null,
      "",
      "1,50",
      "-1.00",
      "1e3",
      "NaN",
      "Infinity",
      " 1",
      "1.0000001",
      "0x10",
      "9".repeat(20),
    ]) {
      it(`with a spend of ${JSON.stringify(spend)}`, async () => {
        answer(page([campaign("1", { data: [ad("11", spend)] })]));
        expect(await failureOf(api().campaigns(access, query))).to.be.instanceOf(AdPlatformUnavailable);
      });
    }

    it("with any invalid value", async () => {
      const whole = page([campaign("1", { data: [ad("11", "1.25")] })]);
      // In a valid answer, random JSON replaces one value. Then the whole request must fail, or return only spends that
      // the platform's answer contains.
      const places = (value: Json, at: string[] = []): string[][] =>
        typeof value === "object" && value !== null
          ? [at, ...Object.entries(value).flatMap(([name, each]) => places(each, [...at, name]))]
          : [at];
      const replaced = (value: Json, [name, ...more]: readonly string[], by: unknown): Json => {
        if (name === undefined) return by;
        const copy = Array.isArray(value) ? [...value] : { ...value };
        copy[name as never] = replaced(value[name], more, by) as never;
        return copy;
      };
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places(whole)), fc.jsonValue(), async (at, by) => {
          const body = replaced(whole, at, by);
          const text = JSON.stringify(body);
          nock(host).get(path).query(true).times(2).reply(200, text, { "content-type": "application/json" });
          nock(host).get("/v23.0/1/ads").query(true).reply(500, "");
          const result = await api({ totalMs: 150 })
            .campaigns(access, query)
            .catch((failure: unknown) => failure);
          nock.cleanAll();
          if (result instanceof AdPlatformUnavailable) return;
          const { campaigns } = result as CampaignPage;
          for (const each of campaigns) {
            for (const { spend } of [...each.insights, ...each.ads.flatMap(({ insights }) => insights)]) {
              expect(text).to.include(`"spend":"${spend}"`);
              expect(spend).to.match(/^\d+(\.\d+)?$/);
            }
          }
        }),
        { numRuns: 150 },
      );
    });
  });

  it("keeps the token out of its errors, whatever the platform quotes", async () => {
    answer(error(190, undefined, "Malformed access token EAAsecret"), 401);
    const failure = await failureOf(api().campaigns(access, query));
    expect(JSON.stringify(redact({ err: failure }))).not.to.include("EAAsecret");
    expect(String(failure)).to.include("code 190");
  });
});

describe("the cache of the ad platform's answers", () => {
  const days = { since: "2026-01-01", until: "2026-01-02" };

  /** An ad platform that returns its input, so that mixed-up answers are noticed. */
  const echo = (asked: string[], gate: Promise<void> = Promise.resolve()): AdPlatform => {
    const told =
      (name: string) =>
      async (...args: readonly unknown[]): Promise<never> => {
        const question = JSON.stringify([name, ...args]);
        asked.push(question);
        await gate;
        return { question } as never;
      };
    return { campaigns: told("campaigns"), adSets: told("adSets"), accounts: told("accounts"), ads: told("ads") };
  };

  it("never mixes up businesses, tokens or requests", async () => {
    const asked: string[] = [];
    const remembered = new RememberedAds(echo(asked), 60_000, () => {});
    const accesses = [1, 2].flatMap((businessId) => ["a", "b"].map((token) => ({ businessId, token })));
    const questions = accesses.flatMap((who) => [
      ...["act_1", "act_2"].flatMap((accountId) =>
        (
          ["today", { since: "2026-03-01", until: "2026-03-02" }, { since: "2026-03-01", until: "2026-03-03" }] as const
        ).flatMap((spentOn) => [
          ...[null, "c1"].flatMap((after) =>
            [true, false].map((onlyActive) => {
              const ask = { accountId, spentOn, onlyActive, after };
              return { ask: () => remembered.campaigns(who, ask), is: ["campaigns", who, ask] };
            }),
          ),
          ...["1", "2"].map((id) => ({
            ask: () => remembered.adSets(who, id, spentOn, accountId),
            is: ["adSets", who, id, spentOn, accountId],
          })),
        ]),
      ),
      { ask: () => remembered.accounts(who), is: ["accounts", who] },
      { ask: () => remembered.ads(who, "act_1", days), is: ["ads", who, "act_1", days] },
    ]);
    for (const round of [1, 2]) {
      for (const { ask, is } of questions) {
        const { question } = (await ask()) as unknown as { question: string };
        expect(question, `round ${round}`).to.equal(JSON.stringify(is));
      }
    }
    expect(asked).to.have.length(questions.length);
  });

  it("shares one request among simultaneous callers", async () => {
    const asked: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((pass) => {
      open = pass;
    });
    const remembered = new RememberedAds(echo(asked, gate), 60_000, () => {});
    const answers = [1, 2, 3].map(() => remembered.accounts(access));
    open();
    await Promise.all(answers);
    expect(asked).to.have.length(1);
  });

  it("requests again after its time", async () => {
    const asked: string[] = [];
    const remembered = new RememberedAds(echo(asked), 20, () => {});
    await eventually(async () => {
      await remembered.ads(access, "act_1", days);
      return asked.length > 1;
    });
  });

  it("has limited memory, and drops the oldest answers", async () => {
    const asked: string[] = [];
    const anAd = { id: "1", sourceAdId: null, insights: [], creatives: [] };
    const ads: AdPlatform["ads"] = async (_, accountId) => {
      asked.push(accountId);
      return [{ ...anAd, name: accountId.startsWith("large") ? "x".repeat(1_000_000) : "x" }];
    };
    const keptOf = async (accounts: readonly string[]): Promise<number> => {
      const remembered = new RememberedAds({ ...echo([]), ads }, 60_000, () => {});
      for (const account of accounts) await remembered.ads(access, account, days);
      asked.length = 0;
      for (const account of accounts.toReversed()) await remembered.ads(access, account, days);
      return accounts.length - asked.length;
    };
    const accounts = (kind: string, n: number) => Array.from({ length: n }, (_, index) => `${kind}${index}`);
    expect(await keptOf(accounts("large", 200))).to.be.within(50, 80);
    expect(await keptOf(accounts("small", 5_000))).to.equal(5_000);
  });

  it("does not store failures", async () => {
    const failures: unknown[] = [];
    let fails = true;
    const accounts = async () => {
      if (fails) throw new AdPlatformUnavailable("away");
      return [];
    };
    const remembered = new RememberedAds({ ...echo([]), accounts }, 60_000, (failure) => failures.push(failure));
    const failed = await remembered.accounts(access).catch((failure: unknown) => failure);
    expect(failed).to.be.instanceOf(AdPlatformUnavailable);
    fails = false;
    expect(await remembered.accounts(access)).to.deep.equal([]);
    expect(failures).to.deep.equal([failed]);
  });
});

describe("the spend of ads", () => {
  it("is read exactly, and shown with at most two decimals", () => {
    for (const [written, meant, shown] of [
      ["0", 0n, 0],
      ["12.5", 12_500_000n, 12.5],
      ["0.10", 100_000n, 0.1],
      ["7.125", 7_125_000n, 7.13],
      ["1.005", 1_005_000n, 1.01],
      ["1.004999", 1_004_999n, 1],
      ["999999999999.99", 999_999_999_999_990_000n, 999_999_999_999.99],
    ] as const) {
      expect(spendOf(written), written).to.equal(meant);
      expect(spendNumber(meant), written).to.equal(shown);
    }
    for (const wrong of ["", "-1", "1,5", ".5", "1.", "1e3", " 1"]) expect(spendOf(wrong)).to.equal(null);
  });

  it("is rounded in reports and totals after the sum, and unchanged as text", async () => {
    const ads = ["1.234", "1.234"].map((spend, n) => ({
      ...{ id: `1${n}`, name: "Ad", sourceAdId: null, creatives: [] },
      insights: [{ spend, currency: "USD" }],
    }));
    const facts = { name: "C", status: "ACTIVE", lifetimeBudget: null, budgetRemaining: null };
    const item = { ...facts, startTime: null, stopTime: null };
    const campaigns = ads.map((ad, n) => ({ ...item, id: `${n}`, insights: ad.insights, ads: [ad] }));
    const platform = { ads: async () => ads, campaigns: async () => ({ campaigns, next: null }) };
    const credentials = { of: async () => ({ token: "EAAsecret", defaultAccountId: null, timezone: "UTC" }) };

    const period = { from: new Date("2026-01-01T00:00:00Z"), until: new Date("2026-01-02T00:00:00Z") };
    const reported = await new ReportedAds(credentials, platform).adsOf(1, "act_1", period);
    expect(reported.map(({ spend }) => spend)).to.deep.equal([1.23, 1.23]);

    const route = campaignsRoute(new ListCampaigns(credentials, platform, { byAd: async () => new Map() }));
    const asked = { datePreset: "today", accountId: "act_1", showOnlyActives: false };
    const caller = { businessId: 1, keyId: 1 };
    const { data, totalSpend } = (await route.handle({ params: caller, query: asked, caller } as never)) as Json;
    expect(totalSpend).to.equal(2.47);
    expect(data[0].insights.data[0].spend).to.equal("1.234");
  });

  it("is summed without binary rounding", () => {
    const cents = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 50 }), (amounts) => {
        const sum = amounts.reduce((total, amount) => total + (spendOf((amount / 100).toFixed(2)) ?? 0n), 0n);
        expect(spendNumber(sum)).to.equal(amounts.reduce((total, amount) => total + amount, 0) / 100);
      }),
    );
  });
});

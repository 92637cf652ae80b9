import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { Random } from "../../src/sandbox/core/random.ts";
import { aCampaign, anAccount, anAd, day, register } from "../ads/support.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { addConversation, addRecord, addTicket, csvRecordsOf } from "./support.ts";

/** The first and last of the seven days before today, like the ad platform's preset `last_7d`. */
let [first, last] = ["", ""];
const period = () => `startDate=${first}&endDate=${last}`;

const random = new Random(7);
const daily = () =>
  Object.fromEntries(Array.from({ length: 10 }, (_, ago) => [day(ago), (random.between(1, 999) / 100).toFixed(2)]));
const campaigns = () => [
  aCampaign("11", [[anAd("111", daily()), anAd("112", {}, { sourceAdId: "111" })], [anAd("113", daily())]]),
  aCampaign("12", [[anAd("121", daily()), anAd("122")]]),
];
/** An ad that belongs to no account, and an ad without costs and records. */
const [stranger, idle] = ["999", "122"];
const adIds = [null, stranger, "111", "112", "113", "121"] as const;

/** Replaces all records. The new ones depend on the seed, and many are at the start or end of the period. */
async function fill(world: World, seed: number): Promise<void> {
  const numbers = new Random(seed);
  const midnight = (date: string) => Date.parse(`${date}T04:00:00Z`);
  const edges = [midnight(first), midnight(day(0))].flatMap((at) => [
    new Date(at - 1_000).toISOString().replace(".000Z", ".999999Z"),
    new Date(at).toISOString(),
  ]);
  await world.rows("delete from registrations");
  for (let n = 0; n < 60; n += 1) {
    const hours = numbers.between(0, 9 * 24);
    await register(world, {
      adId: numbers.pick(adIds),
      type: numbers.pick(["sale", "quotation"]),
      closed: numbers.chance(0.7),
      at: numbers.chance(0.4)
        ? numbers.pick(edges)
        : new Date(midnight(first) + (hours - 24) * 3_600_000).toISOString(),
    });
  }
}

interface WireAd {
  readonly id: string;
  readonly ventas: number;
  readonly cotizaciones: number;
  readonly insights: { readonly data: readonly { readonly spend: string }[] };
}
type Figures = readonly [sales: number, quotations: number, spend: number];
const figuresOf = ({ ventas, cotizaciones, insights }: WireAd): Figures => [
  ventas,
  cotizaciones,
  insights.data.reduce((sum, { spend }) => sum + Number(spend), 0),
];
const cents = (spend: number): number => Math.round(spend * 100);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

describe("the shared report of the whole service", () => {
  useRealNetwork();
  let world: World;
  before(async () => {
    // The days are computed here, since midnight may pass between the loading of this file and its tests.
    [first, last] = [day(7), day(1)];
    world = await startWorld({
      environment: { ROLE: "api" },
      businesses: [
        aBusiness(1, {
          flags: { timezone: "America/La_Paz", group_shared_report: [2, 1], ad_account_for_report: "act_1" },
          ads: { token: "ads-token-1", defaultAccountId: "act_1", accounts: [anAccount("act_1", campaigns())] },
        }),
        aBusiness(2, { name: 'Café "El Rincón", y más', ads: null }),
      ],
    });
    await fill(world, 1);
  });
  after(() => world.stop());

  const path = "/empresas/data-report/multi";
  const ask = (rows?: string, headers: Record<string, string> = {}) =>
    request(`${world.api}${path}${rows === undefined ? "" : `?rows=${rows}`}`, {
      method: "POST",
      headers: { "x-api-key": world.appKey(1), ...headers },
      body: { businessId: 1, startDate: first, endDate: last },
    });

  describe("agrees with the lists of campaigns and ad sets on every ad (§7.10, §15, §16)", () => {
    const listed = async (): Promise<{ data: { ads: { data: WireAd[] } }[]; [total: string]: unknown }> =>
      (await world.get(`/empresas/campaigns/1?accountId=1&datePreset=last_7d&start=${first}&end=${last}`, 1)).json;
    const adsOfSets = async (campaign: string): Promise<WireAd[]> => {
      const bounds = `datePreset=last_7d&start=${first}&end=${last}`;
      const { data } = (await world.get(`/empresas/campaigns/1/${campaign}?${bounds}`, 1)).json;
      return data.flatMap((adSet: { ads: { data: WireAd[] } }) => adSet.ads.data);
    };

    for (const seed of [1, 2, 3]) {
      it(`with generated records ${seed}, folded or not`, async () => {
        await fill(world, seed);
        for (const isFolded of [false, true]) {
          if (isFolded) await resolve(world.container, tokens.foldReports).execute();
          const [, report] = (await ask()).json.data;
          const byCampaign = await listed();
          const shown = byCampaign.data.flatMap(({ ads }) => ads.data);
          const bySet = [...(await adsOfSets("11")), ...(await adsOfSets("12"))];
          const ofList = Object.fromEntries(shown.map((ad) => [ad.id, figuresOf(ad)]));
          expect(Object.fromEntries(bySet.map((ad) => [ad.id, figuresOf(ad)]))).to.deep.equal(ofList);

          const { [idle]: ofIdle, ...ofOthers } = ofList;
          expect(ofIdle).to.deep.equal([0, 0, 0]);
          const ofReport = report.adsBreakdown.map((ad: Record<string, number>) => [
            ad.adId,
            [ad.sales, ad.quotations, ad.spend],
          ]);
          const { [stranger]: ofStranger, ...ofAccount } = Object.fromEntries(ofReport) as Record<string, number[]>;
          expect(ofAccount).to.deep.equal(ofOthers);
          expect(ofStranger?.[2]).to.equal(null);

          const accountSales = sum(Object.values(ofAccount).map(([sales = 0]) => sales));
          expect(accountSales).to.be.above(0);
          expect(byCampaign.totalSales).to.equal(accountSales);
          expect(byCampaign.totalQuotations).to.equal(sum(Object.values(ofAccount).map((each) => each[1] ?? 0)));
          const spend = sum(Object.values(ofAccount).map((each) => cents(each[2] ?? 0)));
          expect(cents(Number(byCampaign.totalSpend))).to.equal(spend);
          expect(report.salesThatChatHasAnuncioIdCount).to.equal(accountSales + (ofStranger?.[0] ?? 0));
        }
      });
    }

    it("and has the same names for ads with and without spend", async () => {
      const [, report] = (await ask()).json.data;
      const ad = report.adsBreakdown.find(({ adId }: { adId: string }) => adId === "112");
      expect(ad).to.include({ name: "Anuncio 112", imageUrl: "https://media.test/112.jpg", spend: 0, currency: null });
    });
  });

  describe("comes as CSV with the figures of the JSON (§7.11)", () => {
    before(async () => {
      const at = `${day(3)}T12:00:00Z`;
      for (const amount of [12.34, 50]) await addRecord(world, 1, { agent_id: 102, at, amount });
      await addRecord(world, 1, { agent_id: 102, at, amount: 0.1, type: "quotation", source: "pdf" });
      for (const state of ["completed", "completed", "pending"]) await addTicket(world, 1, state, { at });
      for (const ai of [20, 30.5]) await addConversation(world, 1, { at, ai });
    });
    type Wire = Record<string, unknown> & { data: { id: number; nombre: string; feature_flags: { currency: string } } };
    const rowsOf = async (rows?: string): Promise<Record<string, string>[]> => {
      const answer = await ask(rows, { accept: "text/csv" });
      expect([answer.status, answer.type]).to.deep.equal([200, "text/csv"]);
      expect(answer.headers["content-disposition"]).to.equal('attachment; filename="report.csv"');
      const [header = [], ...lines] = csvRecordsOf(answer.text);
      return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] ?? ""])));
    };
    const written = (fields: Record<string, unknown>): Record<string, string> =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === null ? "" : String(value)]));
    const ownerOf = ({ data }: Wire) => ({
      empresa_id: data.id,
      nombre: data.nombre,
      "feature_flags.currency": data.feature_flags.currency,
    });
    const reports = async (): Promise<Wire[]> => (await ask()).json.data;

    it("with a line for each business by default", async () => {
      const expected = (await reports()).map((report) => {
        const { data, tags, agentes, adsBreakdown, ...figures } = report;
        return written({ ...ownerOf(report), ...figures });
      });
      expect(expected.map(({ nombre }) => nombre)).to.deep.equal(['Café "El Rincón", y más', "Negocio 1"]);
      expect(await rowsOf()).to.deep.equal(expected);
      expect(await rowsOf("business")).to.deep.equal(expected);
    });

    it("with a line for each agent", async () => {
      const expected = (await reports()).flatMap((report) =>
        (report.agentes as object[]).map((agent) => written({ ...ownerOf(report), ...agent })),
      );
      expect(expected).to.have.length(2);
      expect(await rowsOf("agent")).to.deep.equal(expected);
    });

    it("with a line for each ad", async () => {
      const expected = (await reports()).flatMap((report) =>
        ((report.adsBreakdown ?? []) as Record<string, unknown>[]).map(({ salesRecords, ...ad }) =>
          written({ ...ownerOf(report), ...ad }),
        ),
      );
      expect(expected.map(({ adId }) => adId)).to.include(stranger);
      expect(await rowsOf("ad")).to.deep.equal(expected);
    });

    it("with no other lines", async () => {
      for (const accept of ["text/csv", "application/json"]) {
        const answer = await ask("day", { accept });
        expect([answer.status, answer.json]).to.deep.equal([
          400,
          { message: "rows debe ser business, agent, tag o ad" },
        ]);
      }
    });

    it("only to the same callers, with refusals in JSON", async () => {
      const answer = await ask("ad", { accept: "text/csv", "x-api-key": world.appKey(2) });
      expect([answer.status, answer.json]).to.deep.equal([401, { message: "Invalid API key" }]);
    });
  });

  describe("is a page, too (Reports.1)", () => {
    const page = (query: string, headers: Record<string, string>) =>
      request(`${world.api}/reports/1.html?${query}`, { headers });

    it("for a key and for a session, with the figures of the JSON", async () => {
      const [, { salesCount, quotationsCount }] = (await ask()).json.data;
      const authorization = `Bearer ${await world.sessionToken(101)}`;
      for (const headers of [{ "x-api-key": world.appKey(1) }, { authorization }]) {
        const answer = await page(period(), headers as Record<string, string>);
        expect([answer.status, answer.type]).to.deep.equal([200, "text/html"]);
        expect(answer.text).to.match(/^<!doctype html>[\s\S]*<\/html>\s*$/);
        for (const shown of ["Negocio 1", "Café &quot;El Rincón&quot;", "Anuncio 112", salesCount, quotationsCount]) {
          expect(answer.text).to.include(String(shown));
        }
      }
      const narrowed = await page(`${period()}&includeBusinesses=2`, { authorization });
      expect(narrowed.text).to.include("El Rincón").and.not.include("Negocio 1");
    });

    it("only for these callers", async () => {
      const authorization = `Bearer ${await world.sessionToken(201)}`;
      const headers = [{}, { "x-api-key": "wrong" }, { "x-api-key": world.appKey(2) }, { authorization }];
      for (const each of headers as Record<string, string>[]) expect((await page(period(), each)).status).to.equal(401);
    });

    it("with the same error messages as the report", async () => {
      const answer = await page(`startDate=${last}&endDate=${first}`, { "x-api-key": world.appKey(1) });
      expect([answer.status, answer.json]).to.deep.equal([
        400,
        { message: "startDate no puede ser posterior a endDate" },
      ]);
    });
  });
});

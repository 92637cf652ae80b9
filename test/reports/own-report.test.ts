import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";
import { addConversation, addRecord, assignTag } from "./support.ts";

const march = "startDate=2026-03-01&endDate=2026-03-31";
const business = (id: number, flags: object) =>
  aBusiness(id, { threads: [aThread(id * 100 + 1)], flags: { timezone: "America/La_Paz", ...flags } });

describe("the report of the caller's own business or group", () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      environment: { ROLE: "api" },
      businesses: [
        business(1, { group_shared_report: [1, 2], ad_account_for_report: "act_1" }),
        business(2, {}),
        business(3, { reports_for: "administrators" }),
      ],
    });
    await addRecord(world, 1, { amount: 10.1, agent_id: 102, at: "2026-03-31T23:00:00-04:00" });
    await addRecord(world, 1, { amount: 20.2, ad_id: "a", at: "2026-03-01T00:00:00-04:00" });
    await addRecord(world, 1, { amount: 40.4, at: "2026-02-28T23:59:59-04:00" });
    await addRecord(world, 1, { amount: 80.8, at: "2026-01-29T00:00:00-04:00" });
    await addRecord(world, 1, { amount: 999, at: "2026-01-28T23:59:59-04:00" });
    await addRecord(world, 2, { amount: 5, type: "quotation" });
    await addRecord(world, 3, { amount: 6 });
    await addConversation(world, 1);
    await assignTag(world, 1, "VIP", 3);
  });
  after(() => world.stop());

  const ask = (query: string, id = 1): Promise<Answer> => world.get(`/reports?${query}`, id);
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  const reportsOf = async (query: string, id = 1): Promise<any> => {
    const answer = await ask(query, id);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json;
  };
  const asUser = async (id: number, query = march): Promise<Answer> =>
    request(`${world.api}/reports?${query}`, {
      headers: { authorization: `Bearer ${await world.sessionToken(id)}` },
    });

  it("has the figures of the shared report (Reports.3), without the records of ads (Reports.6)", async () => {
    const { data } = await reportsOf(march);
    const shared = await world.post("/empresas/data-report/multi", {
      businessId: 1,
      startDate: "2026-03-01",
      endDate: "2026-03-31",
    });
    const figures = data.map(
      ({ serie: _, anterior: __, plataforma_sin_respuesta: ___, ...rest }: object & Record<string, unknown>) => rest,
    );
    const expected = shared.json.data.map(({ adsBreakdown, ...rest }: Record<string, unknown>) => ({
      ...rest,
      ...(adsBreakdown !== undefined && {
        adsBreakdown: (adsBreakdown as Record<string, unknown>[]).map(({ salesRecords: _, ...ad }) => ad),
      }),
    }));
    expect(figures).to.deep.equal(expected);
    expect(figures[0].adsBreakdown).to.deep.include.members([
      {
        adId: "a",
        name: null,
        imageUrl: null,
        spend: null,
        currency: null,
        sales: 1,
        salesAmount: 20.2,
        quotations: 0,
        quotationsAmount: 0,
      },
    ]);
  });

  it("includes the period of the same length before (Reports.4)", async () => {
    const { periodo, anterior, data } = await reportsOf(march);
    expect([periodo, anterior]).to.deep.equal([
      { desde: "2026-03-01", hasta: "2026-03-31" },
      { desde: "2026-01-29", hasta: "2026-02-28" },
    ]);
    expect(data[0]).to.include({ salesCount: 2, salesAmount: 30.3 });
    expect(data[0].anterior).to.include({ salesCount: 2, salesAmount: 121.2, conversaciones: 0 });
    expect(data[1].anterior).to.include({ quotationsCount: 0 });
    expect((await reportsOf("startDate=1000-01-01&endDate=1000-01-02")).anterior).to.equal(null);
  });

  it("has points for days, weeks or months that add up to the figures (Reports.5)", async () => {
    for (const [query, unit, first, points] of [
      [march, "dia", "2026-03-01", 31],
      ["startDate=2025-12-02&endDate=2026-03-31", "dia", "2025-12-02", 120],
      ["startDate=2025-12-01&endDate=2026-03-31", "semana", "2025-12-01", 18],
      ["startDate=2024-04-01&endDate=2026-03-31", "semana", "2024-04-01", 105],
      ["startDate=2024-03-31&endDate=2026-03-31", "mes", "2024-03-01", 25],
    ] as const) {
      const { unidad, data } = await reportsOf(query);
      const { serie, salesAmount, salesCount } = data[0];
      expect([unidad, serie[0].desde, serie.length], query).to.deep.equal([unit, first, points]);
      const cents = serie.reduce(
        (sum: number, each: { ventasAmount: number }) => sum + Math.round(each.ventasAmount * 100),
        0,
      );
      expect(cents / 100, query).to.equal(salesAmount);
      expect(serie.reduce((sum: number, { ventas }: { ventas: number }) => sum + ventas, 0)).to.equal(salesCount);
    }
  });

  it("contains only the business if it shares no report, and never another one (Reports.3)", async () => {
    const { data } = await reportsOf(march, 2);
    expect(data.map(({ data }: { data: { id: number } }) => data.id)).to.deep.equal([2]);
    expect(data[0]).to.include({ quotationsCount: 1, quotationsAmount: 5 }).and.not.to.have.property("adsBreakdown");
    const narrowed = await reportsOf(`${march}&includeBusinesses=2,3`);
    expect(narrowed.data.map(({ data }: { data: { id: number } }) => data.id)).to.deep.equal([2]);
    expect((await reportsOf(`${march}&includeBusinesses=3`, 2)).data).to.deep.equal([]);
  });

  it("is allowed only to users who may see reports (Reports.7)", async () => {
    expect((await asUser(102)).status).to.equal(200);
    expect((await asUser(301)).status).to.equal(200);
    const refused = await asUser(302);
    expect([refused.status, refused.json.code]).to.deep.equal([403, "forbidden"]);
    expect((await request(`${world.api}/reports?${march}`)).status).to.equal(401);
  });

  it("is available as CSV, also by tag (Reports.7)", async () => {
    const csv = async (rows: string): Promise<string> => {
      const headers = { "x-api-key": world.appKey(1), accept: "text/csv" };
      return (await request(`${world.api}/reports?${march}&rows=${rows}`, { headers })).text;
    };
    expect(await csv("tag")).to.equal(
      "empresa_id,nombre,feature_flags.currency,tag,count\r\n1,Negocio 1,BOB,VIP,3\r\n",
    );
    expect((await csv("ad")).split("\r\n")).to.include("1,Negocio 1,BOB,a,,,,,1,20.2,0,0");
  });

  it("is also a page to print, even for a business that shares no report (Reports.8)", async () => {
    const page = (query: string) => world.get(`/reports/2.html?${march}${query}`, 2);
    expect((await page("")).status).to.equal(400);
    const own = await page("&own=true");
    expect([own.status, own.type]).to.deep.equal([200, "text/html"]);
    expect(own.text).to.include("Negocio 2").and.not.to.include("Negocio 1");
  });

  it("explains an invalid period", async () => {
    for (const [query, message] of [
      ["endDate=2026-03-31", "startDate es requerido y debe ser un día, como 2026-01-31"],
      ["startDate=2026-03-01T00:00&endDate=2026-03-31", "startDate es requerido y debe ser un día, como 2026-01-31"],
      ["startDate=2026-02-30&endDate=2026-03-31", "startDate no es una fecha válida"],
      ["startDate=2026-03-02&endDate=2026-03-01", "startDate no puede ser posterior a endDate"],
    ] as const) {
      const { status, json } = await ask(query);
      expect([status, json], query).to.deep.equal([400, { message }]);
    }
  });
});

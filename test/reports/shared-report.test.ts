import { expect } from "chai";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { sessionCookie } from "../../src/kernel/cookies.ts";
import { PostgresReportReads } from "../../src/reports/adapters/postgres/report-reads.ts";
import type { AdInsights } from "../../src/reports/application/ports.ts";
import { SharedReport } from "../../src/reports/application/shared-report.ts";
import { type Answer, request } from "../support/http.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";
import { addConversation, addRecord, addTicket, assignTag } from "./support.ts";

const path = "/empresas/data-report/multi";
const march = { businessId: 1, startDate: "2026-03-01", endDate: "2026-03-31" };
const users = (id: number) => [
  { id: id * 100 + 1, name: "Ada Admin", email: `admin@b${id}.test`, roleId: 1, available: false },
  { id: id * 100 + 2, name: "Beto Agente", email: `beto@b${id}.test`, roleId: 5, available: true },
  { id: id * 100 + 3, name: "Ana Agente", email: `ana@b${id}.test`, roleId: 5, available: false },
  { id: id * 100 + 4, name: "Iris Inactiva", email: `iris@b${id}.test`, roleId: 5, available: false },
  { id: id * 100 + 5, name: "Sara Supervisora", email: `sara@b${id}.test`, roleId: 3, available: false },
];
const business = (id: number, flags: object) =>
  aBusiness(id, {
    users: users(id),
    threads: [aThread(id * 100 + 1)],
    flags: { timezone: "America/La_Paz", ...flags },
  });

/** Instants just inside and just outside of March in La Paz. */
const edges = {
  first: "2026-03-01T04:00:00Z",
  last: "2026-04-01T03:59:59.999999Z",
  before: "2026-03-01T03:59:59.999999Z",
  after: "2026-04-01T04:00:00Z",
};

/** Adds records. Their amounts are chosen so that a sum over the wrong records differs from the right one. */
async function fill(world: World): Promise<void> {
  const sale = (amount: number, changes: object = {}) => addRecord(world, 1, { amount, ...changes });
  await sale(1.1, { ad_id: "a", agent_id: 102 });
  await sale(2.2, { ad_id: "b", at: edges.first });
  await sale(4.4, { at: edges.last, agent_id: 102 });
  await sale(100, { currency: "USD", base_amount: 696.35 });
  await sale(8.8, { closed: false, ad_id: "a", agent_id: 102 });
  await sale(17.6, { closed: false });
  for (const at of [edges.before, edges.after]) {
    await sale(1000, { at, agent_id: 102 });
    await sale(2000, { at, ad_id: "a" });
    for (const source of ["pdf", "message"]) {
      await sale(3000, { at, type: "quotation", source });
      await sale(4000, { at, type: "quotation", source, ad_id: "a" });
    }
  }
  const quotation = (amount: number, source: string, changes: object = {}) =>
    sale(amount, { type: "quotation", source, closed: false, ...changes });
  await quotation(10.01, "pdf", { ad_id: "a", agent_id: 103 });
  await quotation(20.02, "message", { ad_id: "a", closed: true });
  await quotation(40.04, "web", { ad_id: "b" });
  await quotation(80.08, "pdf");
  await quotation(160.16, "message", { agent_id: 102 });
  await quotation(160.16, "message", { closed: true });
  await quotation(320.32, "web");
  await quotation(1, "pdf", { currency: "USD", base_amount: 6.96 });

  for (let n = 0; n < 7; n += 1) await addConversation(world, 1);
  await addConversation(world, 1, { ai: 50.25, at: edges.first });
  await addConversation(world, 1, { ai: 20, agent: 33.33, at: edges.last });
  await addConversation(world, 1, { ai: 100, agent: 100, at: edges.before });
  await addConversation(world, 1, { ai: 100, agent: 100, at: edges.after });

  for (const state of ["completed", "completed", "completed", "cancelled", "cancelled", "pending", "in_progress"]) {
    await addTicket(world, 1, state);
  }
  await addTicket(world, 1, "pending", { agentId: 103, at: edges.last });
  await addTicket(world, 1, "completed", { at: edges.before });
  await addTicket(world, 1, "completed", { at: edges.after });

  await assignTag(world, 1, "Reclamo", 2);
  await assignTag(world, 1, "VIP", 3, { at: edges.last });
  await assignTag(world, 1, "Amigo", 2);
  await assignTag(world, 1, "Reclamo", 9, { at: edges.after });
  await assignTag(world, 1, "Reclamo", 9, { type: "removed_tag" });
  await assignTag(world, 1, "Viejo", 9, { at: edges.before });

  await addRecord(world, 2, { amount: 5000 });
  await addRecord(world, 3, { amount: 6000, ad_id: "a" });
  await addConversation(world, 3, { ai: 1, agent: 1 });
  await assignTag(world, 3, "VIP", 50);
  await addTicket(world, 3, "completed");
}

describe("the shared report (§7)", () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      environment: { ROLE: "api" },
      businesses: [
        business(1, { group_shared_report: [1, 2], currency_conversion: { USD: 6.96 }, "payments-url": "https://x" }),
        business(2, { currency: "EUR", timezone: "Europe/Madrid" }),
        business(3, { group_shared_report: [3] }),
      ],
    });
    await world.rows("update users set active = false where id = 104");
    await world.rows("update businesses set image_url = 'https://img.test/1.png' where id = 1");
    await fill(world);
  });
  after(() => world.stop());

  const ask = (body: object = {}, businessId = 1) => world.post(path, { ...march, ...body }, businessId);
  const folded = () => resolve(world.container, tokens.foldReports).execute();

  for (const [state, prepare] of [
    ["counted from the rows", () => world.rows("delete from report_days")],
    ["of folded days", folded],
  ] as const) {
    describe(state, () => {
      let report: Record<string, unknown>;
      before(async () => {
        await prepare();
        const answer = await ask();
        expect(answer.status, answer.text).to.equal(200);
        report = answer.json.data[0];
      });

      const fields: Record<string, unknown> = {
        conversaciones: 9,
        salesCount: 4,
        salesAmount: 704.05,
        salesConversionRate: 44.44,
        quotationsCount: 8,
        quotationsAmount: 797.75,
        qoutationConversionRate: 88.89,
        qoutationToSalesConversionRate: 50,
        averageTemperature: 35.13,
        averageAgentTemperature: 33.33,
        salesThatChatHasAnuncioIdCount: 2,
        salesThatChatHasAnuncioId: 3.3,
        salesThatDoesntHaveAnuncioIdCount: 2,
        salesThatDoesntHaveAnuncioId: 700.75,
        quotationsThatChatHasAnuncioIdCount: 3,
        quotationsThatChatHasAnuncioId: 70.07,
        quotationsThatChatHasAnuncioIdAndSourceIsPdfCount: 1,
        quotationsThatChatHasAnuncioIdAndSourceIsPdf: 10.01,
        quotationsThatChatHasAnuncioIdAndSourceIsMessageCount: 1,
        quotationsThatChatHasAnuncioIdAndSourceIsMessage: 20.02,
        quotationsThatDoesntHaveAnuncioIdCount: 5,
        quotationsThatDoesntHaveAnuncioId: 727.68,
        quotationsThatDoesntHaveAnuncioIdAndSourceIsPdfCount: 2,
        quotationsThatDoesntHaveAnuncioIdAndSourceIsPdf: 87.04,
        quotationsThatDoesntHaveAnuncioIdAndSourceIsMessageCount: 2,
        quotationsThatDoesntHaveAnuncioIdAndSourceIsMessage: 320.32,
        tags: [
          { name: "VIP", count: 3 },
          { name: "Amigo", count: 2 },
          { name: "Reclamo", count: 2 },
        ],
      };
      for (const [field, expected] of Object.entries(fields)) {
        it(`has ${field} (§7)`, () => {
          expect(report[field]).to.deep.equal(expected);
        });
      }

      it("has the business record in data, with only the public flags (§7)", () => {
        expect(report.data).to.deep.equal({
          id: 1,
          nombre: "Negocio 1",
          img_wa: "https://img.test/1.png",
          feature_flags: { timezone: "America/La_Paz", currency: "BOB", currency_conversion: { USD: 6.96 } },
        });
      });

      it("has only the active agents in agentes, by name (§7.9)", () => {
        const names = (report.agentes as { agente: string }[]).map(({ agente }) => agente);
        expect(names).to.deep.equal(["Ana Agente", "Beto Agente"]);
      });

      const beto: Record<string, unknown> = {
        agente: "Beto Agente",
        totalTickets: 7,
        completados: 3,
        cancelados: 2,
        pendientes: 1,
        proceso: 1,
        conversaciones: 9,
        ventas: 2,
        ventasAmount: 5.5,
        cotizaciones: 1,
        cotizacionesAmount: 160.16,
        empresa_id: 1,
      };
      for (const [field, expected] of Object.entries(beto)) {
        it(`has ${field} of an agent (§7.9)`, () => {
          expect((report.agentes as Record<string, unknown>[])[1]?.[field]).to.equal(expected);
        });
      }

      it("has no adsBreakdown without an ad account (§7.10)", () => {
        expect(report).not.to.have.property("adsBreakdown");
      });
    });
  }

  it("reads only aggregates for a past period", async () => {
    await folded();
    const [days] = await world.rows<{ count: number }>(
      "select count(*) from report_days where business_id = 1 and day between '2026-03-01' and '2026-03-31'",
    );
    expect(days?.count).to.equal(31);
    expect(await world.rows("select from report_marks")).to.deep.equal([]);
  });

  it("counts a period that cuts days in the middle to the moment (§7.3)", async () => {
    const { json } = await ask({ startDate: edges.first, endDate: "2026-03-10T15:59:59-00:00" });
    expect(json.data[0].salesAmount).to.equal(2.2);
    const to = await ask({ startDate: "2026-03-10T12:00:00", endDate: "2026-03-31T23:59:59.999" });
    expect(to.json.data[0].salesAmount).to.equal(701.85);
  });

  it("counts a date without a zone on each business's own clock (§7.3)", async () => {
    const at = "2026-05-01T22:30:00Z";
    await addRecord(world, 1, { amount: 7, at });
    await addRecord(world, 2, { amount: 9, at });
    const on = async (day: string) =>
      (await ask({ startDate: day, endDate: day })).json.data.map((each: { salesAmount: number }) => each.salesAmount);
    expect(await on("2026-05-01")).to.deep.equal([7, 0]);
    expect(await on("2026-05-02")).to.deep.equal([0, 9]);
    await folded();
    expect(await on("2026-05-01")).to.deep.equal([7, 0]);
    expect(await on("2026-05-02")).to.deep.equal([0, 9]);
  });

  it("has a business with zeros where its clocks skipped the whole period (§7.3)", async () => {
    const zoneIs = (zone: string) =>
      world.rows(
        `update businesses set feature_flags = feature_flags || jsonb_build_object('timezone', $1::text) where id = 1`,
        [zone],
      );
    await zoneIs("Pacific/Apia");
    const id = await addRecord(world, 1, { amount: 7, at: "2011-12-30T12:00:00Z" });
    const of = async (startDate: string, endDate: string) => {
      const { status, json } = await ask({ startDate, endDate, includeBusinesses: [1] });
      expect(status, JSON.stringify(json)).to.equal(200);
      const [{ salesCount, salesAmount, conversaciones, tags, agentes }] = json.data;
      return [salesCount, salesAmount, conversaciones, tags, agentes.length];
    };
    expect(await of("2011-12-30", "2011-12-30")).to.deep.equal([0, 0, 0, [], 2]);
    expect(await of("2011-12-30T18:00", "2011-12-31T09:00")).to.deep.equal([0, 0, 0, [], 2]);
    for (const startDate of ["2011-12-29", "2011-12-30", "2011-12-31"]) {
      expect(await of(startDate, "2011-12-31")).to.deep.equal([1, 7, 0, [], 2]);
    }
    expect((await ask({ startDate: "2011-12-31", endDate: "2011-12-30" })).status).to.equal(400);
    await world.rows("delete from registrations where id = $1", [id]);
    await zoneIs("America/La_Paz");
  });

  it("is of the businesses of the group, in its order, each with its own currency (§7.2)", async () => {
    const { json } = await ask();
    expect(json.data.map((each: { data: { id: number } }) => each.data.id)).to.deep.equal([1, 2]);
    expect(json.data[1].salesAmount).to.equal(5000);
    expect(json.data[1].data.feature_flags.currency).to.equal("EUR");
  });

  it("is narrowed down by includeBusinesses, and ids outside of the group are ignored (§7.2)", async () => {
    const idsOf = async (includeBusinesses: number[]) =>
      (await ask({ includeBusinesses })).json.data.map((each: { data: { id: number } }) => each.data.id);
    expect(await idsOf([2, 3, 99])).to.deep.equal([2]);
    expect(await idsOf([3])).to.deep.equal([]);
    expect(await idsOf([])).to.deep.equal([]);
  });

  describe("by caller", () => {
    const post = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
      request(world.api + path, { method: "POST", headers, body: { ...march, ...body } });
    const refused = ({ status, json }: Answer): void => {
      expect(status).to.equal(401);
      expect(json).to.deep.equal({ message: "Invalid API key" });
    };

    it("is answered by the header x-api-key (§7.1)", async () => {
      expect((await post({}, { "x-api-key": world.appKey(1) })).status).to.equal(200);
    });

    it("is answered by the header x-recado-key (§7.1)", async () => {
      expect((await post({}, { "x-recado-key": world.appKey(1) })).status).to.equal(200);
    });

    it("is answered by a session token in the body (§7.1)", async () => {
      expect((await post({ token: await world.sessionToken(102) })).status).to.equal(200);
    });

    it("is refused without credentials, and with wrong ones of each kind (§7.1)", async () => {
      refused(await post({}));
      refused(await post({ token: "" }));
      refused(await post({ token: 5 }));
      refused(await post({ token: "wrong" }));
      refused(await post({}, { "x-api-key": "wrong" }));
      refused(await post({}, { "x-recado-key": "wrong" }));
      refused(await post({}, { authorization: "Bearer wrong" }));
    });

    it("is answered by a session token as everywhere: a bearer token, in the query, in the cookie (§7.1)", async () => {
      const token = await world.sessionToken(102);
      const answers = [
        await post({}, { authorization: `Bearer ${token}` }),
        await request(`${world.api}${path}?token=${token}`, { method: "POST", body: march }),
        await post({}, { cookie: `${sessionCookie}=${token}`, origin: world.api }),
      ];
      expect(answers.map(({ status, text }) => (status === 200 ? status : text))).to.deep.equal([200, 200, 200]);
      const foreign = await post({}, { cookie: `${sessionCookie}=${token}`, origin: "https://elsewhere.test" });
      expect(foreign.status).to.equal(403);
      refused(await post({}, { authorization: `Bearer ${await world.sessionToken(202)}` }));
    });

    it("is documented with each kind of credentials (§7.1)", async () => {
      const { json } = await request(`${world.api}/openapi.json`);
      const schemes = json.paths[path].post.security.flatMap((each: object) => Object.keys(each));
      expect(schemes).to.deep.equal(["appKey", "appKeyOfReports", "session", "sessionInQuery"]);
    });

    it("is refused for a wrong key with a right token (§7.1)", async () => {
      refused(await post({ token: await world.sessionToken(102) }, { "x-api-key": "wrong" }));
    });

    it("is refused to all businesses but the root, also in its group (§7.1)", async () => {
      refused(await post({}, { "x-api-key": world.appKey(2) }));
      refused(await post({}, { "x-recado-key": world.appKey(3) }));
      refused(await post({ token: await world.sessionToken(202) }));
      refused(await post({ businessId: 12_345 }, { "x-api-key": world.appKey(1) }));
    });

    describe("if its flag reports_for restricts it to administrators", () => {
      const page = `/reports/1.html?startDate=${march.startDate}&endDate=${march.endDate}`;
      const setFlag = (businessId: number, value: unknown): Promise<unknown> =>
        world.rows("update businesses set feature_flags = feature_flags || $2 where id = $1", [
          businessId,
          JSON.stringify({ reports_for: value }),
        ]);
      const bearer = async (userId: number) => ({ authorization: `Bearer ${await world.sessionToken(userId)}` });
      /** Requests the report of business 1 in all formats, with the user's session. Null stands for the App Key. */
      const inAllForms = async (userId: number | null): Promise<Answer[]> => {
        const key = { "x-api-key": world.appKey(1) };
        const [inBody, inHeader] = userId === null ? [{}, key] : [{ token: await world.sessionToken(userId) }, {}];
        return [
          await post(inBody, inHeader),
          await post(inBody, { ...inHeader, accept: "text/csv" }),
          await post({}, userId === null ? key : await bearer(userId)),
          await request(world.api + page, { headers: userId === null ? key : await bearer(userId) }),
        ];
      };
      beforeEach(() => setFlag(1, "administrators"));
      after(() => setFlag(1, "all"));

      it("is refused to agents and users of other roles in any form (§7.12)", async () => {
        const json = { message: "El reporte es solo para administradores", code: "forbidden" };
        for (const userId of [102, 105]) {
          for (const answer of await inAllForms(userId)) expect(answer).to.deep.include({ status: 403, json });
        }
      });

      it("is answered to administrators and App Keys (§7.12)", async () => {
        for (const caller of [101, null]) {
          expect((await inAllForms(caller)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
        }
      });

      it("is answered to everyone if the flag is `all` or unknown (§7.12)", async () => {
        for (const value of ["all", null, "nobody"]) {
          await setFlag(1, value);
          expect((await inAllForms(102)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
        }
      });

      it("uses only the flag of the root, not those of its group (§7.12)", async () => {
        await setFlag(1, "all");
        await setFlag(2, "administrators");
        const answers = await inAllForms(102).finally(() => setFlag(2, "all"));
        expect(answers[0]?.json.data.map(({ data }: { data: { id: number } }) => data.id)).to.include(2);
      });
    });
  });

  describe("of any length", () => {
    const allOfIt = { startDate: "2024-01-01", endDate: "2028-06-30" };
    const ages = { startDate: "0100-01-01", endDate: "9999-12-31" };
    const daily = async (period: typeof ages) => {
      const [found] = await resolve(world.container, tokens.sharedReports).daily({
        rootId: 1,
        forAdministrator: true,
        ...period,
      });
      return found?.days.filter(
        ({ conversations, sales, quotations }) => conversations + sales.count + quotations.count,
      );
    };

    for (const [state, prepare] of [
      ["counted from the rows", () => world.rows("delete from report_days")],
      ["read from folded days", folded],
    ] as const) {
      it(`has exactly the records of the period, ${state} (§7.3)`, async () => {
        await prepare();
        const [long, short] = [await ask(ages), await ask(allOfIt)];
        expect(long.status, long.text).to.equal(200);
        expect(long.json.data).to.deep.equal(short.json.data);
        expect(long.json.data[0].salesCount).to.be.above(4);
        expect(await daily(ages))
          .to.deep.equal(await daily(allOfIt))
          .and.have.lengthOf.above(2);
      });
    }

    it("has only days with records (§7.3)", async () => {
      const [found] = await resolve(world.container, tokens.sharedReports).daily({
        rootId: 1,
        forAdministrator: true,
        ...ages,
      });
      expect(found?.days).to.have.lengthOf.within(31, 150);
    });

    it("may have no records (§7.3)", async () => {
      for (const period of [
        { startDate: "0100-01-01", endDate: "1999-12-31" },
        { startDate: "2050-01-01T12:00:00", endDate: "9999-12-31" },
      ]) {
        const { status, json } = await ask(period);
        expect(status).to.equal(200);
        expect(json.data[0]).to.include({ conversaciones: 0, salesCount: 0, quotationsAmount: 0 });
        expect(json.data[0].agentes).to.have.length(2);
      }
      for (const table of ["registrations", "conversations"]) {
        await world.rows(`delete from ${table} where business_id = 2`);
      }
      const { json } = await ask(ages);
      expect(json.data[1]).to.include({ conversaciones: 0, salesCount: 0 });
    });
  });

  describe("with an invalid request", () => {
    const wrong = async (body: object, message: string, businessId = 1) => {
      const { status, json } = await ask(body, businessId);
      expect(json).to.deep.equal({ message });
      expect(status).to.equal(400);
    };
    const notShared = "La empresa no tiene habilitado el reporte compartido";

    it("of a business without the flag is refused (§7.2)", async () => {
      await wrong({ businessId: 2 }, notShared, 2);
      for (const flag of ["null", "true", "[]", '"1"', "{}"]) {
        await world.rows(
          `update businesses set feature_flags = feature_flags || jsonb_build_object('group_shared_report', $1::jsonb)
           where id = 2`,
          [flag],
        );
        await wrong({ businessId: 2 }, notShared, 2);
      }
    });

    it("of too large a group is refused (§7.2)", async () => {
      await world.rows(
        `update businesses set feature_flags = feature_flags || jsonb_build_object('group_shared_report',
           (select jsonb_agg(n) from generate_series(1, 101) as n)) where id = 2`,
      );
      await wrong({ businessId: 2 }, "El grupo no puede tener más de 100 empresas", 2);
    });

    it("with missing or wrong fields says which (§7)", async () => {
      await wrong({ businessId: undefined }, "businessId es requerido y debe ser un número");
      await wrong({ businessId: "1" }, "businessId es requerido y debe ser un número");
      await wrong({ startDate: undefined }, "startDate es requerido y debe ser una fecha");
      await wrong({ endDate: 5 }, "endDate es requerido y debe ser una fecha");
      await wrong({ startDate: "2026-02-30" }, "startDate no es una fecha válida");
      await wrong({ endDate: "mañana" }, "endDate no es una fecha válida");
      await wrong({ includeBusinesses: 1 }, "includeBusinesses debe ser un arreglo de números");
    });

    it("of a period that ends before it begins is refused (§7.3)", async () => {
      await wrong({ startDate: "2026-04-01" }, "startDate no puede ser posterior a endDate");
      expect((await ask({ startDate: "2026-03-31" })).status).to.equal(200);
    });
  });

  describe("of ads", () => {
    const insights: AdInsights = {
      adsOf: async (businessId, accountId, { from, until }) => {
        expect([businessId, accountId]).to.deep.equal([1, "act_1"]);
        expect([from.toISOString(), until.toISOString()]).to.deep.equal([
          "2026-03-01T04:00:00.000Z",
          "2026-04-01T04:00:00.000Z",
        ]);
        return [
          { adId: "a", name: "Promo", imageUrl: "https://img.test/a", spend: 12.5, currency: "USD" },
          { adId: "quiet", name: "Nadie", imageUrl: null, spend: 1, currency: "USD" },
        ];
      },
    };
    const inTime = <Result>(work: Promise<Result>) => work;
    const adsWith = async (port: AdInsights, failures: unknown[] = []) => {
      const report = new SharedReport(new PostgresReportReads(oneCell(world.database)), port, inTime, (error) =>
        failures.push(error),
      );
      const [first] = await report.report({
        rootId: 1,
        forAdministrator: true,
        startDate: march.startDate,
        endDate: march.endDate,
      });
      return { ads: first?.ads ?? [], isSilent: first?.isAdPlatformSilent };
    };
    before(() =>
      world.rows(
        `update businesses set feature_flags = feature_flags || '{"ad_account_for_report": "act_1"}' where id = 1`,
      ),
    );
    after(() =>
      world.rows("update businesses set feature_flags = feature_flags - 'ad_account_for_report' where id = 1"),
    );

    it("has the known values in adsBreakdown, and null for those that the platform did not give (§7.10)", async () => {
      const { data } = (await ask()).json;
      expect(data[1]).not.to.have.property("adsBreakdown");
      expect(data[0].adsBreakdown.map(({ salesRecords, ...ad }: { salesRecords: unknown[] }) => ad)).to.deep.equal([
        {
          adId: "a",
          name: null,
          imageUrl: null,
          spend: null,
          currency: null,
          sales: 1,
          salesAmount: 1.1,
          quotations: 2,
          quotationsAmount: 30.03,
        },
        {
          adId: "b",
          name: null,
          imageUrl: null,
          spend: null,
          currency: null,
          sales: 1,
          salesAmount: 2.2,
          quotations: 1,
          quotationsAmount: 40.04,
        },
      ]);
    });

    it("has every complete record of the ad in the period in salesRecords (§7.10)", async () => {
      const [ad] = (await ask()).json.data[0].adsBreakdown;
      expect(ad.salesRecords).to.have.length(4);
      const [{ id, ...first }] = ad.salesRecords;
      expect(first).to.deep.equal({
        tipo: "venta",
        chat_id: 101,
        agente_id: 102,
        monto: 1.1,
        moneda: "BOB",
        monto_base: 1.1,
        origen: "mensaje",
        cerrada: true,
        anuncio_id: "a",
        fecha: "2026-03-10T16:00:00.000Z",
      });
      expect(ad.salesRecords.map(({ cerrada }: { cerrada: boolean }) => cerrada)).to.deep.equal([
        true,
        false,
        false,
        true,
      ]);
    });

    it("has name, imageUrl, spend and currency from the platform, and also ads without sales (§7.10)", async () => {
      const { ads, isSilent } = await adsWith(insights);
      expect(isSilent).to.equal(false);
      expect(
        ads.map(({ adId, name, imageUrl, spend, currency }) => [adId, name, imageUrl, spend, currency]),
      ).to.deep.equal([
        ["a", "Promo", "https://img.test/a", 12.5, "USD"],
        ["b", null, null, null, null],
        ["quiet", "Nadie", null, 1, "USD"],
      ]);
      expect(ads[2]?.sales.count).to.equal(0);
      expect(ads[2]?.records).to.deep.equal([]);
    });

    it("does not fail if the platform fails (§7.10)", async () => {
      const failures: unknown[] = [];
      const { ads, isSilent } = await adsWith({ adsOf: () => Promise.reject(new Error("down")) }, failures);
      expect(isSilent).to.equal(true);
      expect(ads.map(({ adId, name, spend }) => [adId, name, spend])).to.deep.equal([
        ["a", null, null],
        ["b", null, null],
      ]);
      expect(failures).to.have.length(1);
    });
  });

  it("is also available by day, with the same figures", async () => {
    const reports = resolve(world.container, tokens.sharedReports);
    const [first] = await reports.daily({ rootId: 1, forAdministrator: true, ...march });
    expect(first?.days).to.have.length(31);
    expect(first?.days[0]).to.deep.equal({
      day: "2026-03-01",
      conversations: 1,
      sales: { count: 1, amount: 220n },
      quotations: { count: 0, amount: 0n },
    });
    expect(first?.days[9]?.quotations).to.deep.equal({ count: 8, amount: 79_775n });
    expect(first?.days[30]).to.deep.equal({
      day: "2026-03-31",
      conversations: 1,
      sales: { count: 1, amount: 440n },
      quotations: { count: 0, amount: 0n },
    });
  });
});

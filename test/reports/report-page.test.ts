import { expect } from "chai";
import { Thread } from "../../src/infra/threads/thread.ts";
import { type Money, moneyOf } from "../../src/kernel/money.ts";
import { scopes } from "../../src/kernel/scopes.ts";
import { period, short } from "../../src/reports/adapters/html/format.ts";
import { renderReportPage } from "../../src/reports/adapters/html/report-page.ts";
import { reportPageRoute } from "../../src/reports/adapters/http/report-page.route.ts";
import type { ReportPage, ReportRequest } from "../../src/reports/application/ports.ts";
import { ReportNotShared } from "../../src/reports/domain/failures.ts";
import { type SampleApp, serveSample } from "../http/sample-app.ts";
import { request } from "../support/http.ts";
import { samplePage } from "./sample-reports.ts";

const long = "Compañía Importadora y Distribuidora de Alimentos Congelados del Oriente Boliviano";

/** The visible text of HTML. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<style>[\s\S]*?<\/style>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/&nbsp;|\u00a0/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();

/** The caption of each table and the cells of its body, row by row. */
function tablesOf(html: string): { readonly caption: string; readonly rows: string[][] }[] {
  return [...html.matchAll(/<table>([\s\S]*?)<\/table>/g)].map(([, table = ""]) => ({
    caption: textOf(/<caption>([\s\S]*?)<\/caption>/.exec(table)?.[1] ?? ""),
    rows: [...(table.split("<tbody>")[1] ?? "").matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => textOf(cell)),
    ),
  }));
}

/** "1.087" or "17,11 %" as a number. */
const numberIn = (text = ""): number => Number(text.replace(/ %$/, "").replaceAll(".", "").replace(",", "."));
/** "Bs 1.606,54" as hundredths. */
const moneyIn = (text = ""): Money => moneyOf(text.replace(/^\D+/, "").replaceAll(".", "").replace(",", "."));

/** The lines of each key figure of a section, by the figure's name. */
const keysOf = (section: string): Map<string, string[]> =>
  new Map(
    [...section.matchAll(/<div><dt>([\s\S]*?)<\/dt>([\s\S]*?)<\/div>/g)].map(([, name = "", values = ""]) => [
      textOf(name),
      [...values.matchAll(/<dd>([\s\S]*?)<\/dd>/g)].map(([, value = ""]) => textOf(value)),
    ]),
  );

const sectionsOf = (html: string): string[] => html.split("<section").slice(1);

describe("the page of a shared report", () => {
  const page = samplePage([
    { id: 1, name: "Pollos El Ceibo" },
    { id: 2, name: long, currency: "USD", days: 31, ads: null },
    { id: 3, name: "Centro", agents: Array.from({ length: 50 }, (_, index) => `Agente ${index}`) },
  ]);
  const html = renderReportPage(page);
  const [groupPart = "", ...businessParts] = sectionsOf(html);

  it("shows the exact key figures of each business", () => {
    expect(businessParts).to.have.length(3);
    for (const [index, { business, conversations, sales, quotations, rates, temperatures }] of page.reports.entries()) {
      const section = businessParts[index] ?? "";
      expect(textOf(section)).to.include(business.name);
      const keys = keysOf(section);
      const shown = (name: string) => numberIn(keys.get(name)?.[0]);
      expect(shown("Conversaciones")).to.equal(conversations);
      expect(shown("Ventas")).to.equal(sales.all.count);
      expect(moneyIn(keys.get("Ventas")?.[1])).to.equal(sales.all.amount);
      expect(keys.get("Ventas")?.[1]).to.match(business.currency === "USD" ? /^USD / : /^Bs /);
      expect(shown("Cotizaciones")).to.equal(quotations.all.count);
      expect(moneyIn(keys.get("Cotizaciones")?.[1])).to.equal(quotations.all.amount);
      expect(shown("Conversaciones con venta")).to.equal(rates.salesPerConversation);
      expect(shown("Conversaciones con cotización")).to.equal(rates.quotationsPerConversation);
      expect(shown("Cotizaciones que son venta")).to.equal(rates.salesPerQuotation);
      expect(shown("Temperatura según la IA")).to.equal(temperatures.ai);
      expect(shown("Temperatura según agentes")).to.equal(temperatures.agent);
    }
  });

  it("shows times if the period does not consist of whole days", () => {
    const whole = { from: new Date("2026-03-01T04:00:00Z"), until: new Date("2026-03-03T04:00:00Z") };
    expect(period(whole, "America/La_Paz")).to.equal("1 de marzo de 2026 al 2 de marzo de 2026");
    const cut = { from: new Date("2026-03-01T14:30:00Z"), until: new Date("2026-03-03T04:00:00Z") };
    expect(period(cut, "America/La_Paz")).to.match(/^1 de marzo de 2026.* 10:30.* al 2 de marzo de 2026.* 11:59.*$/);
    const skipped = { from: new Date("2011-12-30T10:00:00Z"), until: new Date("2011-12-30T10:00:00Z") };
    expect(period(skipped, "Pacific/Apia")).to.match(/^31 de diciembre.* 12:00.* al 31 de diciembre.* 12:00.*$/);
  });

  it("writes the figures of an axis in the same form, however large they are", () => {
    const written = [950, 12_000, 250_000, 9_000_000, 12_500_000, 9_000_000_000, 12_000_000_000].map(short);
    expect(written).to.deep.equal(["950", "12.000", "250 mil", "9 M", "12,5 M", "9.000 M", "12.000 M"]);
  });

  it("draws up to three days as bars, and more as lines", () => {
    const drawing = (days: number) =>
      /aria-label="Ventas y cotizaciones por día[\s\S]*?<\/svg>/.exec(
        renderReportPage(samplePage([{ id: 1, days }])),
      )?.[0];
    for (const days of [1, 3]) expect(drawing(days)).not.to.match(/stroke-width="2"/);
    expect(drawing(4)).to.match(/stroke-width="2"/);
  });

  it("has room for the labels of axes, however large the amounts are", () => {
    for (const zeros of [0n, 5n, 7n, 9n, 11n]) {
      const daily = page.daily.map((each) => ({
        ...each,
        days: each.days.map((day) => ({ ...day, sales: { count: 1, amount: 8n * 10n ** (zeros + 2n) } })),
      }));
      const drawing = /aria-label="Montos por día[\s\S]*?<\/svg>/.exec(renderReportPage({ ...page, daily }))?.[0] ?? "";
      const labels = [...drawing.matchAll(/<text [^>]*text-anchor="end"[^>]*translate\(([\d.]+) [^>]*>([^<]+)</g)];
      expect(labels.length).to.be.above(3);
      for (const [, right, label = ""] of labels) expect(Number(right), label).to.be.at.least(label.length * 6.5);
    }
  });

  it("writes a figure into a part of a bar only if it fits", () => {
    const shares = (ads: number, organic: number) => {
      const [report] = page.reports;
      if (!report) throw new Error("no report");
      const sales = {
        all: { count: ads + organic, amount: 0n },
        fromAds: { count: ads, amount: 0n },
        organic: { count: organic, amount: 0n },
      };
      const drawn = renderReportPage({ ...page, reports: [{ ...report, sales }], daily: [] });
      const drawing = /aria-label="[^"]*de anuncios[\s\S]*?<\/svg>/.exec(drawn)?.[0] ?? "";
      return [...drawing.matchAll(/<text [^>]*>([^<]+)</g)].map(([, text]) => text);
    };
    expect(shares(8, 41)).to.include.members(["8", "41"]);
    expect(shares(8, 4_100)).to.include("4.100").and.not.include("8");
    expect(shares(0, 41)).to.include("41").and.not.include("0");
  });

  it("adds up the group, each currency on its own", () => {
    const keys = keysOf(groupPart);
    const sum = (of: (report: ReportPage["reports"][number]) => number) =>
      page.reports.reduce((total, report) => total + of(report), 0);
    expect(numberIn(keys.get("Conversaciones")?.[0])).to.equal(sum((report) => report.conversations));
    expect(numberIn(keys.get("Ventas")?.[0])).to.equal(sum((report) => report.sales.all.count));
    const [bolivianos = "", dollars = ""] = keys.get("Ventas")?.[1]?.split(" + ") ?? [];
    const of = (currency: string) =>
      page.reports
        .filter(({ business }) => business.currency === currency)
        .reduce((total: Money, report) => total + report.sales.all.amount, 0n);
    expect([moneyIn(bolivianos), moneyIn(dollars)]).to.deep.equal([of("BOB"), of("USD")]);
    expect(groupPart).to.include("Montos por día, en BOB").and.include("Montos por día, en USD");

    const [businesses] = tablesOf(groupPart);
    expect(
      businesses?.rows.map(([name, talks, sales, amount, rate, quotations, quoted]) => [
        name,
        numberIn(talks),
        numberIn(sales),
        moneyIn(amount),
        numberIn(rate),
        numberIn(quotations),
        moneyIn(quoted),
      ]),
    ).to.deep.equal(
      page.reports.map(({ business, conversations, sales, rates, quotations }) => [
        business.name,
        conversations,
        sales.all.count,
        sales.all.amount,
        rates.salesPerConversation,
        quotations.all.count,
        quotations.all.amount,
      ]),
    );
  });

  it("lists every agent with all figures", () => {
    for (const [index, { agents }] of page.reports.entries()) {
      const table = tablesOf(businessParts[index] ?? "").find(({ caption }) => caption === "Agentes");
      const shown = table?.rows.map(([name, sales, amount, quotations, quoted, ...tickets]) => ({
        name,
        sales: { count: numberIn(sales), amount: moneyIn(amount) },
        quotations: { count: numberIn(quotations), amount: moneyIn(quoted) },
        tickets: tickets.map(numberIn),
      }));
      expect(shown).to.have.deep.members(
        agents.map(({ name, sales, quotations, tickets }) => ({
          name,
          sales,
          quotations,
          tickets: [tickets.total, tickets.completed, tickets.inProgress, tickets.pending, tickets.cancelled],
        })),
      );
    }
  });

  it("distinguishes sales from ads and others, and shows the sources of quotations", () => {
    for (const [index, { sales, quotations }] of page.reports.entries()) {
      const table = tablesOf(businessParts[index] ?? "").find(({ rows }) => rows[0]?.[0] === "Ventas");
      const shown = table?.rows.map(([, ads, adAmount, organic, organicAmount]) => [
        { count: numberIn(ads), amount: moneyIn(adAmount) },
        { count: numberIn(organic), amount: moneyIn(organicAmount) },
      ]);
      const tally = ({ count, amount }: { count: number; amount: Money }) => ({ count, amount });
      expect(shown).to.deep.equal([
        [tally(sales.fromAds), tally(sales.organic)],
        [tally(quotations.fromAds), tally(quotations.organic)],
        [tally(quotations.fromAds.fromPdf), tally(quotations.organic.fromPdf)],
        [tally(quotations.fromAds.fromMessage), tally(quotations.organic.fromMessage)],
      ]);
    }
  });

  it("lists the ads of businesses with an ad account, with costs in their own currency", () => {
    for (const [index, { ads }] of page.reports.entries()) {
      const table = tablesOf(businessParts[index] ?? "").find(({ caption }) => caption === "Anuncios");
      const shown = table?.rows.map(([name, spend, sales, amount, quotations, quoted]) => [
        name,
        spend,
        numberIn(sales),
        moneyIn(amount),
        numberIn(quotations),
        moneyIn(quoted),
      ]);
      expect(shown ?? null).to.deep.equal(
        ads?.map((ad) => [
          `${ad.name} ${ad.adId}`,
          `USD ${ad.spend?.toFixed(2).replace(".", ",")}`,
          ad.sales.count,
          ad.sales.amount,
          ad.quotations.count,
          ad.quotations.amount,
        ]) ?? null,
      );
    }
  });

  it("says that the ad platform did not answer, with or without known ads", () => {
    const said = "No se obtuvo respuesta de la plataforma de anuncios";
    expect(textOf(html)).not.to.include(said);
    for (const isEmpty of [false, true]) {
      const silent = samplePage([{ id: 1, isAdPlatformSilent: true, isEmpty }]);
      expect(textOf(renderReportPage(silent))).to.include(said);
    }
  });

  it("draws the figures of the tables", () => {
    const [report] = page.reports;
    const drawn = textOf(businessParts[0] ?? "");
    for (const { name, count } of report?.tags ?? []) expect(drawn).to.match(new RegExp(`${name}.* ${count}`));
    for (const title of [
      "Ventas y cotizaciones por día",
      "Montos por día, en BOB",
      "De la conversación a la venta",
      "Anuncios y orgánico",
      "Ventas por agente",
      "Tickets por agente y estado",
      "Etiquetas más asignadas",
    ]) {
      expect(drawn, title).to.include(title);
    }
    const { width } = /<svg [^>]*width="(?<width>\d+)"/.exec(html)?.groups ?? {};
    expect(width).to.equal("720");
    // No two charts define the same id, and each reference leads to a defined id.
    const definitions = [...html.matchAll(/ id="(c\d+-[^"]*)"/g)].map(([, id]) => id);
    expect(new Set(definitions).size).to.equal(definitions.length);
    for (const [, id] of html.matchAll(/url\(#([^)]+)\)/g)) expect(definitions).to.include(id);
  });

  it("describes each drawing in words", () => {
    const drawings = [...html.matchAll(/<div role="img" aria-label="([^"]*)">/g)];
    expect(drawings.length).to.be.above(15);
    expect(html.match(/<svg /g)).to.have.length(drawings.length);
    for (const [, name = ""] of drawings) expect(name).to.match(/\d/);
  });

  it("fits a narrow screen: drawings shrink while they are readable, and then scroll like tables", () => {
    expect(html).to.include('<meta name="viewport" content="width=device-width, initial-scale=1">');
    const [style = ""] = /<style>[\s\S]*?<\/style>/.exec(html) ?? [];
    const [always = "", printed = ""] = style.split("@media print");
    expect(always.split("@media")[0]).to.match(/\.wide \{[^}]*overflow-x: auto/);
    expect(printed, "paper does not scroll").to.match(/\.wide \{[^}]*overflow: visible/);
    const tables = html.split("<table").length - 1;
    expect(tables).to.be.above(5);
    expect(html.split('<div class="wide"><table')).to.have.length(tables + 1);

    const { least } =
      /figure svg \{[^}]*width: 100%; min-width: (?<least>\d+)px; height: auto/.exec(always)?.groups ?? {};
    const letters = [...html.matchAll(/<text [^>]*font-size: ?(\d+)px/g)].map(([, height]) => Number(height));
    expect((Math.min(...letters) * Number(least)) / 720).to.be.at.least(10);
    expect(printed).to.match(/figure svg \{[^}]*min-width: 0/);
    expect(html.split('<div class="wide"><svg ')).to.have.length(html.split("<svg ").length);
    const drawings = [...html.matchAll(/<svg viewBox="0 0 (\d+) (\d+)" width="(\d+)" height="(\d+)"/g)];
    expect(drawings).to.have.length(html.split("<svg ").length - 1);
    for (const [, ...sizes] of drawings) expect(sizes.slice(0, 2)).to.deep.equal(sizes.slice(2));
    const outside = html.split(/<figure>[\s\S]*?<\/figure>/).join("");
    expect(outside).not.to.include("<svg");

    // Apart from the minimum width of drawings, all fixed widths on the page fit a phone.
    const widths = [...html.matchAll(/(?<![-\w])(?:min-)?width: ?(\d+)px/g)].map(([, width]) => Number(width));
    expect(Math.max(...widths.filter((width) => width !== Number(least)))).to.be.below(100);
  });

  it("loads nothing from other places", () => {
    expect(html).not.to.match(/https?:|\/\/[a-z]|<(?:script|link|img|image|iframe|object|use)\b|@import|url\((?!#)/i);
    expect(html).not.to.match(/\son\w+=/i);
  });

  it("is the same for the same figures", () => {
    expect(renderReportPage(page)).to.equal(html);
  });

  it("is drawn the same in a thread, and not after its request was aborted", async () => {
    const module = new URL("../../src/reports/adapters/html/page-thread", import.meta.url);
    const thread = new Thread<ReportPage, string>(module.href);
    try {
      expect(await thread.run(page)).to.equal(html);
      const gone = new AbortController();
      const drawn = thread.run(page, gone.signal).catch((error: Error) => error.name);
      gone.abort();
      expect(await drawn).to.equal("AbortError");
      expect(await thread.run(page)).to.equal(html);
    } finally {
      await thread.close();
    }
  });

  it("escapes names everywhere", () => {
    const evil = `<script>alert("1")</script>'"&<b x=1>`;
    const attacked = renderReportPage(
      samplePage([
        { id: 1, name: evil, currency: evil, agents: [evil], tags: [evil, ...Array(20).fill(evil)], ads: [evil] },
        { id: 2, name: evil, agents: [`{a|${evil}}`], tags: [evil] },
      ]),
    );
    const plain = renderReportPage(samplePage([{ id: 1, agents: ["A"], tags: ["T"], ads: ["X"] }, { id: 2 }]));
    const elements = (text: string) => new Set([...text.matchAll(/<\/?([a-z!]\w*)/gi)].map(([, name]) => name));
    expect([...elements(attacked)]).to.have.members([...elements(plain)]);
    expect(attacked).not.to.match(/<script|<b /);
    expect(textOf(attacked).split(evil).length).to.be.above(8);
    const one = renderReportPage(samplePage([{ id: 1, name: evil }]));
    expect(one).to.include("<title>&lt;script&gt;");
  });

  it("says so if there is nothing to show", () => {
    const nothing = renderReportPage(samplePage([{ id: 1, isEmpty: true, agents: [] }]));
    const text = textOf(nothing);
    for (const said of [
      "No hubo ventas ni cotizaciones en el período.",
      "No hubo conversaciones en el período.",
      "La empresa no tiene agentes activos.",
      "No se asignaron etiquetas en el período.",
      "Ningún anuncio trajo ventas ni cotizaciones en el período.",
    ]) {
      expect(text).to.include(said);
    }
    expect(nothing).not.to.match(/<svg|NaN|Infinity|undefined|null/);
    expect(textOf(renderReportPage({ reports: [], daily: [], madeAt: new Date() }))).to.include(
      "El informe no incluye ninguna empresa.",
    );
  });

  it("groups a long period by weeks, and a very long one by months", () => {
    const titleOf = (days: number) => textOf(renderReportPage(samplePage([{ id: 1, days }])));
    expect(titleOf(120)).to.include("cotizaciones por día");
    expect(titleOf(121)).to.include("cotizaciones por semana").and.include("Montos por semana");
    expect(titleOf(731)).to.include("cotizaciones por mes").and.include("mar 2026");
  });

  it("shows the time between businesses whose figures lie years apart", () => {
    const page = samplePage([
      { id: 1, days: 40 },
      { id: 2, days: 40 },
    ]);
    const [early, late] = page.daily;
    const later = { ...late, days: late?.days.map((each) => ({ ...each, day: each.day.replace("2026", "2032") })) };
    const [group = ""] = sectionsOf(renderReportPage({ ...page, daily: [early, later] as ReportPage["daily"] }));
    expect(textOf(group))
      .to.include("cotizaciones por mes")
      .and.match(/ (2028|2029|2030) /);
  });

  it("shows the first and last day of the period", () => {
    expect(textOf(html)).to.include("Del 1 de marzo de 2026 al 31 de marzo de 2026");
  });
});

describe("GET /reports/:businessId.html", () => {
  let app: SampleApp;
  let asked: ReportRequest[];
  const page = samplePage([{ id: 7, name: "Negocio" }]);
  beforeEach(async () => {
    asked = [];
    const reports = {
      report: async (request: ReportRequest) => {
        asked.push(request);
        if (request.startDate === "none") throw new ReportNotShared("business 7");
        return [...page.reports];
      },
      daily: async () => [...page.daily],
    };
    app = await serveSample([reportPageRoute(reports, async (page) => renderReportPage(page))], {
      authenticators: {
        "key-or-token": (_ctx, next) => next(),
        session: (_ctx, next) => next(),
        "key-or-body-token": (_ctx, next) => next(),
        "key-or-session": (ctx, next) => {
          ctx.state.caller = { businessId: 7, keyId: 1, scopes };
          return next();
        },
      },
    });
  });
  afterEach(() => app.close());

  const period = "startDate=2026-03-01&endDate=2026-03-31";

  it("answers with the page, which may load nothing", async () => {
    const answer = await request(`${app.url}/reports/7.html?${period}&includeBusinesses=7,8`);
    expect([answer.status, answer.type]).to.deep.equal([200, "text/html"]);
    expect(answer.text).to.match(/^<!doctype html>[\s\S]*Negocio[\s\S]*<\/html>\s*$/);
    expect(answer.headers["content-security-policy"]).to.match(/^default-src 'none'; style-src 'unsafe-inline'/);
    expect(answer.headers, "its address may contain a token").to.include({ "referrer-policy": "no-referrer" });
    expect(answer.headers["cache-control"]).to.equal("private, no-store");
    const dates = { startDate: "2026-03-01", endDate: "2026-03-31" };
    expect(asked).to.deep.equal([{ rootId: 7, forAdministrator: true, ...dates, include: [7, 8], orOwn: false }]);
  });

  it("refuses the report of another business", async () => {
    const answer = await request(`${app.url}/reports/8.html?${period}`);
    expect([answer.status, answer.json]).to.deep.equal([401, { message: "Invalid API key" }]);
    expect(asked).to.deep.equal([]);
  });

  const wrong: [query: string, message: string][] = [
    ["endDate=2026-03-31", "startDate es requerido y debe ser una fecha"],
    ["startDate=2026-03-01", "endDate es requerido y debe ser una fecha"],
    [`${period}&includeBusinesses=a`, "includeBusinesses debe ser una lista de números separados por comas"],
    [`${period}&includeBusinesses=1,`, "includeBusinesses debe ser una lista de números separados por comas"],
    ["startDate=none&endDate=none", "La empresa no tiene habilitado el reporte compartido"],
  ];
  for (const [query, message] of wrong) {
    it(`refuses ${query}`, async () => {
      const answer = await request(`${app.url}/reports/7.html?${query}`);
      expect([answer.status, answer.json]).to.deep.equal([400, { message }]);
    });
  }

  it("refuses a business that is not a number", async () => {
    expect((await request(`${app.url}/reports/x.html?${period}`)).status).to.equal(400);
    expect((await request(`${app.url}/reports/7.htm?${period}`)).status).to.equal(404);
  });
});

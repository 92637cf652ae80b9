import { expect } from "chai";
import { csvLine } from "../../src/infra/http/csv.ts";
import { numberOf } from "../../src/kernel/money.ts";
import { type ReportRows, reportCsv } from "../../src/reports/adapters/http/report-csv.ts";
import { samplePage } from "./sample-reports.ts";
import { csvRecordsOf } from "./support.ts";

describe("a report as CSV", () => {
  const odd = 'Café "El Rincón", y\r\nmás';
  const { reports } = samplePage([
    { id: 1, name: odd, agents: ["=HYPERLINK(1)", odd], ads: [odd] },
    { id: 2, ads: null },
  ]);

  const rowsOf = (rows: ReportRows): Record<string, string>[] => {
    const [header = [], ...lines] = csvRecordsOf([...reportCsv(reports, rows)].join(""));
    for (const line of lines) expect(line).to.have.length(header.length);
    return lines.map((line) => Object.fromEntries(line.map((field, index) => [header[index], field])));
  };

  it("has a line for each business, with every figure under its API name (§7)", () => {
    const rows = rowsOf("business");
    expect(rows).to.have.length(2);
    for (const [index, report] of reports.entries()) {
      const { business, sales, quotations, rates, temperatures } = report;
      const tally = (name: string, { count, amount }: typeof sales.all) => ({
        [`${name}Count`]: String(count),
        [name]: String(numberOf(amount)),
      });
      const quotationsOf = (name: string, all: typeof quotations.all) => ({
        ...tally(name, all),
        ...tally(`${name}AndSourceIsPdf`, all.fromPdf),
        ...tally(`${name}AndSourceIsMessage`, all.fromMessage),
      });
      expect(rows[index]).to.deep.equal({
        empresa_id: String(business.id),
        nombre: business.name,
        "feature_flags.currency": "BOB",
        conversaciones: String(report.conversations),
        salesCount: String(sales.all.count),
        salesAmount: String(numberOf(sales.all.amount)),
        salesConversionRate: String(rates.salesPerConversation),
        quotationsCount: String(quotations.all.count),
        quotationsAmount: String(numberOf(quotations.all.amount)),
        qoutationConversionRate: String(rates.quotationsPerConversation),
        qoutationToSalesConversionRate: String(rates.salesPerQuotation),
        averageTemperature: String(temperatures.ai),
        averageAgentTemperature: String(temperatures.agent),
        ...tally("salesThatChatHasAnuncioId", sales.fromAds),
        ...tally("salesThatDoesntHaveAnuncioId", sales.organic),
        ...quotationsOf("quotationsThatChatHasAnuncioId", quotations.fromAds),
        ...quotationsOf("quotationsThatDoesntHaveAnuncioId", quotations.organic),
      });
    }
  });

  it("has a line for each agent (§7)", () => {
    const rows = rowsOf("agent");
    const agents = reports.flatMap((report) => report.agents.map((agent) => ({ agent, report })));
    expect(rows).to.have.length(agents.length);
    for (const [index, { agent, report }] of agents.entries()) {
      const name = agent.name.startsWith("=") ? `'${agent.name}` : agent.name;
      expect(rows[index]).to.deep.equal({
        empresa_id: String(report.business.id),
        nombre: report.business.name,
        "feature_flags.currency": "BOB",
        agente: name,
        totalTickets: String(agent.tickets.total),
        completados: String(agent.tickets.completed),
        cancelados: String(agent.tickets.cancelled),
        pendientes: String(agent.tickets.pending),
        proceso: String(agent.tickets.inProgress),
        conversaciones: String(report.conversations),
        ventas: String(agent.sales.count),
        ventasAmount: String(numberOf(agent.sales.amount)),
        cotizaciones: String(agent.quotations.count),
        cotizacionesAmount: String(numberOf(agent.quotations.amount)),
      });
    }
  });

  it("has a line for each ad of businesses with an ad account (§7)", () => {
    const [ad] = reports[0]?.ads ?? [];
    expect(rowsOf("ad")).to.deep.equal([
      {
        empresa_id: "1",
        nombre: odd,
        "feature_flags.currency": "BOB",
        adId: ad?.adId,
        name: odd,
        imageUrl: ad?.imageUrl,
        spend: String(ad?.spend),
        currency: "USD",
        sales: String(ad?.sales.count),
        salesAmount: String(numberOf(ad?.sales.amount ?? 0n)),
        quotations: String(ad?.quotations.count),
        quotationsAmount: String(numberOf(ad?.quotations.amount ?? 0n)),
      },
    ]);
  });

  it("has the names of columns even without lines", () => {
    expect([...reportCsv([], "agent")]).to.have.length(1);
  });
});

describe("a line of CSV", () => {
  it("can be read back unchanged, except for formulas", () => {
    const plain = ["a", "", "1,5", 'says "no"', "two\r\nlines", " spaced ", "ñ"];
    expect(csvRecordsOf(csvLine(plain))).to.deep.equal([plain]);
    for (const formula of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx"]) {
      expect(csvRecordsOf(csvLine([formula])), formula).to.deep.equal([[`'${formula}`]]);
    }
    expect(csvLine([-1.5, 0, null, undefined, true])).to.equal("-1.5,0,,,true\r\n");
  });

  it("marks formulas behind invisible characters, and with unusual signs", () => {
    const unseen = [
      0x00, 0x0b, 0x1f, 0x20, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x2007, 0x200b, 0x200d,
    ]
      .concat([0x200e, 0x2028, 0x202e, 0x2060, 0x2800, 0x3000, 0x3164, 0xd800, 0xe000, 0xfe0f, 0xfeff, 0xffa0, 0xe0001])
      .map((code) => String.fromCodePoint(code));
    for (const prefix of ["", ...unseen, "\ufeff \u200b", "\ufeff\ufeff"]) {
      for (const sign of "=+-@＝＋－＠﹦﹢﹣﹫") {
        const formula = `${prefix}${sign}1`;
        expect(csvRecordsOf(csvLine([formula])), JSON.stringify(formula)).to.deep.equal([[`'${formula}`]]);
      }
    }
    const harmless = [...unseen.map((prefix) => `${prefix}1=1`), "a-1", "ñandú@casa", "\ufeff", "é=1"];
    expect(csvRecordsOf(csvLine(harmless))).to.deep.equal([harmless]);
  });
});

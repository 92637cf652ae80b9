import { csvLine } from "../../../infra/http/csv.ts";
import { numberOf } from "../../../kernel/money.ts";
import type { AdFigures, AgentFigures, BusinessReport, QuotationTally, Tally } from "../../domain/report.ts";

/** What a line of the table is about. */
export const reportRows = ["business", "agent", "ad"] as const;
export type ReportRows = (typeof reportRows)[number];

type Line = Readonly<Record<string, string | number | null>>;

/** The lines of a report as CSV, one at a time, their columns named as the fields of the JSON answer. */
export function* reportCsv(reports: readonly BusinessReport[], rows: ReportRows): Generator<string> {
  yield csvLine(columns[rows]);
  for (const report of reports) {
    for (const line of linesOf[rows](report)) yield csvLine(columns[rows].map((column) => line[column]));
  }
}

const linesOf: Readonly<Record<ReportRows, (report: BusinessReport) => Line[]>> = {
  business: (report) => [businessLine(report)],
  agent: (report) => report.agents.map((agent) => agentLine(report, agent)),
  ad: (report) => (report.ads ?? []).map((ad) => adLine(report, ad)),
};

/** Which business, and what its amounts are in. */
const ownerOf = ({ business }: BusinessReport) => ({
  empresa_id: business.id,
  nombre: business.name,
  "feature_flags.currency": business.currency,
});
const ownerColumns = ["empresa_id", "nombre", "feature_flags.currency"];

const tally = (name: string, { count, amount }: Tally): Line => ({ [`${name}Count`]: count, [name]: numberOf(amount) });

const quotations = (name: string, { fromPdf, fromMessage, ...all }: QuotationTally): Line => ({
  ...tally(name, all),
  ...tally(`${name}AndSourceIsPdf`, fromPdf),
  ...tally(`${name}AndSourceIsMessage`, fromMessage),
});

const businessLine = (report: BusinessReport): Line => ({
  ...ownerOf(report),
  conversaciones: report.conversations,
  salesCount: report.sales.all.count,
  salesAmount: numberOf(report.sales.all.amount),
  salesConversionRate: report.rates.salesPerConversation,
  quotationsCount: report.quotations.all.count,
  quotationsAmount: numberOf(report.quotations.all.amount),
  qoutationConversionRate: report.rates.quotationsPerConversation,
  qoutationToSalesConversionRate: report.rates.salesPerQuotation,
  averageTemperature: report.temperatures.ai,
  averageAgentTemperature: report.temperatures.agent,
  ...tally("salesThatChatHasAnuncioId", report.sales.fromAds),
  ...tally("salesThatDoesntHaveAnuncioId", report.sales.organic),
  ...quotations("quotationsThatChatHasAnuncioId", report.quotations.fromAds),
  ...quotations("quotationsThatDoesntHaveAnuncioId", report.quotations.organic),
});

const agentLine = (report: BusinessReport, agent: AgentFigures): Line => ({
  ...ownerOf(report),
  agente: agent.name,
  totalTickets: agent.tickets.total,
  completados: agent.tickets.completed,
  cancelados: agent.tickets.cancelled,
  pendientes: agent.tickets.pending,
  proceso: agent.tickets.inProgress,
  conversaciones: report.conversations,
  ventas: agent.sales.count,
  ventasAmount: numberOf(agent.sales.amount),
  cotizaciones: agent.quotations.count,
  cotizacionesAmount: numberOf(agent.quotations.amount),
});

const adLine = (report: BusinessReport, ad: AdFigures): Line => ({
  ...ownerOf(report),
  adId: ad.adId,
  name: ad.name,
  imageUrl: ad.imageUrl,
  spend: ad.spend,
  currency: ad.currency,
  sales: ad.sales.count,
  salesAmount: numberOf(ad.sales.amount),
  quotations: ad.quotations.count,
  quotationsAmount: numberOf(ad.quotations.amount),
});

const sourced = (name: string): string[] =>
  ["", "AndSourceIsPdf", "AndSourceIsMessage"].flatMap((source) => [`${name}${source}Count`, `${name}${source}`]);

const columns: Readonly<Record<ReportRows, readonly string[]>> = {
  business: [
    ...ownerColumns,
    "conversaciones",
    "salesCount",
    "salesAmount",
    "salesConversionRate",
    "quotationsCount",
    "quotationsAmount",
    "qoutationConversionRate",
    "qoutationToSalesConversionRate",
    "averageTemperature",
    "averageAgentTemperature",
    "salesThatChatHasAnuncioIdCount",
    "salesThatChatHasAnuncioId",
    "salesThatDoesntHaveAnuncioIdCount",
    "salesThatDoesntHaveAnuncioId",
    ...sourced("quotationsThatChatHasAnuncioId"),
    ...sourced("quotationsThatDoesntHaveAnuncioId"),
  ],
  agent: [
    ...ownerColumns,
    "agente",
    "totalTickets",
    "completados",
    "cancelados",
    "pendientes",
    "proceso",
    "conversaciones",
    "ventas",
    "ventasAmount",
    "cotizaciones",
    "cotizacionesAmount",
  ],
  ad: [
    ...ownerColumns,
    "adId",
    "name",
    "imageUrl",
    "spend",
    "currency",
    "sales",
    "salesAmount",
    "quotations",
    "quotationsAmount",
  ],
};

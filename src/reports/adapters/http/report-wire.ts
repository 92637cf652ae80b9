import { nullableText, type Schema, text } from "../../../infra/http/schema.ts";
import { numberOf } from "../../../kernel/money.ts";
import type {
  AdFigures,
  AgentFigures,
  BusinessReport,
  QuotationTally,
  RegistrationRecord,
  Tally,
} from "../../domain/report.ts";
import { sourceOnWire, typeOnWire } from "./spelling.ts";

const number = { type: "number" } as const;
const integer = { type: "integer" } as const;

const tagCount = {
  type: "object",
  required: ["name", "count"],
  properties: { name: text, count: integer },
} as const satisfies Schema;

const integers = <const Name extends string>(names: readonly Name[]) => propertiesOf(names, integer);
const numbers = <const Name extends string>(names: readonly Name[]) => propertiesOf(names, number);
const propertiesOf = <Name extends string, Kind>(names: readonly Name[], kind: Kind) =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;

const agentCounts = [
  "totalTickets",
  "completados",
  "cancelados",
  "pendientes",
  "proceso",
  "conversaciones",
  "ventas",
  "cotizaciones",
  "empresa_id",
] as const;
const agentAmounts = ["ventasAmount", "cotizacionesAmount"] as const;
const agentRow = {
  type: "object",
  required: ["agente", ...agentCounts, ...agentAmounts],
  properties: { agente: text, ...integers(agentCounts), ...numbers(agentAmounts) },
} as const satisfies Schema;

const record = {
  type: "object",
  required: ["id", "tipo", "chat_id", "monto", "moneda", "monto_base", "origen", "cerrada", "anuncio_id", "fecha"],
  properties: {
    id: integer,
    tipo: { enum: ["venta", "cotizacion"] },
    chat_id: integer,
    agente_id: { type: ["integer", "null"] },
    monto: number,
    moneda: text,
    monto_base: number,
    origen: text,
    cerrada: { type: "boolean" },
    anuncio_id: text,
    fecha: text,
  },
} as const satisfies Schema;

export const adRow = {
  type: "object",
  required: [
    "adId",
    "name",
    "imageUrl",
    "spend",
    "currency",
    "sales",
    "salesAmount",
    "quotations",
    "quotationsAmount",
    "salesRecords",
  ],
  properties: {
    adId: text,
    name: nullableText,
    imageUrl: nullableText,
    spend: { type: ["number", "null"] },
    currency: nullableText,
    ...numbers(["sales", "salesAmount", "quotations", "quotationsAmount"]),
    salesRecords: { type: "array", items: record },
  },
} as const satisfies Schema;

/** Each has a count under its name and `Count`, and an amount under its name. */
const talliesByAd = [
  "salesThatChatHasAnuncioId",
  "salesThatDoesntHaveAnuncioId",
  "quotationsThatChatHasAnuncioId",
  "quotationsThatChatHasAnuncioIdAndSourceIsPdf",
  "quotationsThatChatHasAnuncioIdAndSourceIsMessage",
  "quotationsThatDoesntHaveAnuncioId",
  "quotationsThatDoesntHaveAnuncioIdAndSourceIsPdf",
  "quotationsThatDoesntHaveAnuncioIdAndSourceIsMessage",
] as const;
type TallyName = (typeof talliesByAd)[number];
const countNames = talliesByAd.map((name) => `${name}Count` as const);

const plainCounts = ["conversaciones", "salesCount", "quotationsCount"] as const;
const plainNumbers = [
  "salesAmount",
  "salesConversionRate",
  "quotationsAmount",
  "qoutationConversionRate",
  "qoutationToSalesConversionRate",
  "averageTemperature",
  "averageAgentTemperature",
] as const;

/** §7: one report as it is answered. */
export const report = {
  type: "object",
  required: ["data", ...plainCounts, ...plainNumbers, ...talliesByAd, ...countNames, "tags", "agentes"],
  properties: {
    data: {
      type: "object",
      required: ["id", "nombre", "img_wa", "feature_flags"],
      properties: { id: integer, nombre: text, img_wa: nullableText, feature_flags: { type: "object" } },
    },
    ...integers(plainCounts),
    ...numbers(plainNumbers),
    ...integers(countNames),
    ...numbers(talliesByAd),
    tags: { type: "array", items: tagCount },
    agentes: { type: "array", items: agentRow },
    adsBreakdown: { type: "array", items: adRow },
  },
} as const satisfies Schema;

export function onWire(report: BusinessReport): object {
  const { business, conversations, sales, quotations, rates, temperatures } = report;
  return {
    data: { id: business.id, nombre: business.name, img_wa: business.imageUrl, feature_flags: business.flags },
    conversaciones: conversations,
    salesCount: sales.all.count,
    salesAmount: numberOf(sales.all.amount),
    salesConversionRate: rates.salesPerConversation,
    quotationsCount: quotations.all.count,
    quotationsAmount: numberOf(quotations.all.amount),
    qoutationConversionRate: rates.quotationsPerConversation,
    qoutationToSalesConversionRate: rates.salesPerQuotation,
    averageTemperature: temperatures.ai,
    averageAgentTemperature: temperatures.agent,
    ...tallyOnWire("salesThatChatHasAnuncioId", sales.fromAds),
    ...tallyOnWire("salesThatDoesntHaveAnuncioId", sales.organic),
    ...quotationsOnWire("quotationsThatChatHasAnuncioId", quotations.fromAds),
    ...quotationsOnWire("quotationsThatDoesntHaveAnuncioId", quotations.organic),
    tags: report.tags,
    agentes: report.agents.map((agent) => agentOnWire(agent, business.id, conversations)),
    ...(report.ads && { adsBreakdown: report.ads.map(adOnWire) }),
  };
}

const tallyOnWire = (name: TallyName, { count, amount }: Tally): object => ({
  [`${name}Count`]: count,
  [name]: numberOf(amount),
});

function quotationsOnWire(
  name: "quotationsThatChatHasAnuncioId" | "quotationsThatDoesntHaveAnuncioId",
  quotations: QuotationTally,
): object {
  return {
    ...tallyOnWire(name, quotations),
    ...tallyOnWire(`${name}AndSourceIsPdf`, quotations.fromPdf),
    ...tallyOnWire(`${name}AndSourceIsMessage`, quotations.fromMessage),
  };
}

const agentOnWire = (
  { name, tickets, sales, quotations }: AgentFigures,
  businessId: number,
  talks: number,
): object => ({
  agente: name,
  totalTickets: tickets.total,
  completados: tickets.completed,
  cancelados: tickets.cancelled,
  pendientes: tickets.pending,
  proceso: tickets.inProgress,
  conversaciones: talks,
  ventas: sales.count,
  ventasAmount: numberOf(sales.amount),
  cotizaciones: quotations.count,
  cotizacionesAmount: numberOf(quotations.amount),
  empresa_id: businessId,
});

const adOnWire = ({ adId, name, imageUrl, spend, currency, sales, quotations, records }: AdFigures): object => ({
  adId,
  name,
  imageUrl,
  spend,
  currency,
  sales: sales.count,
  salesAmount: numberOf(sales.amount),
  quotations: quotations.count,
  quotationsAmount: numberOf(quotations.amount),
  salesRecords: records.map(recordOnWire),
});

const recordOnWire = (record: RegistrationRecord): object => ({
  id: record.id,
  tipo: typeOnWire(record.type),
  chat_id: record.chatId,
  agente_id: record.agentId,
  monto: numberOf(record.amount),
  moneda: record.currency,
  monto_base: numberOf(record.baseAmount),
  origen: sourceOnWire(record.source),
  cerrada: record.closed,
  anuncio_id: record.adId,
  fecha: record.at,
});

import {
  arrayOf,
  integer,
  named,
  nullableInteger,
  nullableNumber,
  nullableText,
  objectWith,
  text,
  withOptional,
} from "../../../infra/http/routing/schema.ts";
import { numberOf } from "../../../kernel/money.ts";
import type {
  AdFigures,
  AgentFigures,
  BusinessReport,
  QuotationTally,
  RegistrationRecord,
  RegistrationType,
  Tally,
} from "../../domain/report.ts";

export const number = { type: "number" } as const;

/** The figures of an agent, in the order of the answer. */
export const agentFields = {
  agente: text,
  totalTickets: integer,
  completados: integer,
  cancelados: integer,
  pendientes: integer,
  proceso: integer,
  conversaciones: integer,
  ventas: integer,
  ventasAmount: number,
  cotizaciones: integer,
  cotizacionesAmount: number,
} as const;
const agentRow = named("AgentFigures", objectWith({ ...agentFields, empresa_id: integer }));

const record = named(
  "Registration",
  objectWith({
    id: integer,
    tipo: { enum: ["venta", "cotizacion"] },
    chat_id: integer,
    agente_id: nullableInteger,
    monto: number,
    moneda: text,
    monto_base: nullableNumber,
    origen: text,
    cerrada: { type: "boolean" },
    anuncio_id: text,
    fecha: text,
  }),
);

/** The figures of an ad without its records, in the order of the answer. */
export const adFields = {
  adId: text,
  name: nullableText,
  imageUrl: nullableText,
  spend: nullableNumber,
  currency: nullableText,
  sales: integer,
  salesAmount: number,
  quotations: integer,
  quotationsAmount: number,
} as const;
const adRow = named("AdFigures", objectWith({ ...adFields, salesRecords: arrayOf(record) }));

/** Each name stands for two fields: `<name>` is the amount, and `<name>Count` is the count. */
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

const tallyFields = Object.fromEntries(
  talliesByAd.flatMap((name) => [
    [`${name}Count`, integer],
    [name, number],
  ]),
) as Readonly<Record<`${TallyName}Count`, typeof integer> & Record<TallyName, typeof number>>;

/** The figures of a business, in the order of the answer. */
export const businessFields = {
  conversaciones: integer,
  salesCount: integer,
  salesAmount: number,
  salesConversionRate: number,
  quotationsCount: integer,
  quotationsAmount: number,
  qoutationConversionRate: number,
  qoutationToSalesConversionRate: number,
  averageTemperature: number,
  averageAgentTemperature: number,
  ...tallyFields,
} as const;

/** The fields that every report of a business has. */
export const reportFields = {
  data: objectWith({ id: integer, nombre: text, img_wa: nullableText, feature_flags: { type: "object" } }),
  ...businessFields,
  tags: arrayOf(objectWith({ name: text, count: integer })),
  agentes: arrayOf(agentRow),
} as const;

/** §7: the report of one business. */
export const report = named("Report", withOptional(objectWith(reportFields), { adsBreakdown: arrayOf(adRow) }));

/** The JSON of a report. If `withRecords` is false, the ads are without their records. */
export function onWire(report: BusinessReport, withRecords = true): object {
  const { business, ads } = report;
  const records = (ad: AdFigures) => (withRecords ? { salesRecords: ad.records.map(recordOnWire) } : {});
  return {
    data: { id: business.id, nombre: business.name, img_wa: business.imageUrl, feature_flags: business.flags },
    ...businessOnWire(report),
    tags: report.tags,
    agentes: report.agents.map((agent) => ({ ...agentOnWire(report, agent), empresa_id: business.id })),
    ...(ads && { adsBreakdown: ads.map((ad) => ({ ...adOnWire(ad), ...records(ad) })) }),
  };
}

type Figures<Name extends string> = Readonly<Record<Name, string | number | null>>;

export const businessOnWire = (report: BusinessReport): Figures<keyof typeof businessFields> => {
  const { conversations, sales, quotations, rates, temperatures } = report;
  return {
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
  };
};

const tallyOnWire = <Name extends TallyName>(name: Name, { count, amount }: Tally) =>
  ({ [`${name}Count`]: count, [name]: numberOf(amount) }) as Record<Name | `${Name}Count`, number>;

const quotationsOnWire = <Name extends "quotationsThatChatHasAnuncioId" | "quotationsThatDoesntHaveAnuncioId">(
  name: Name,
  quotations: QuotationTally,
) => ({
  ...tallyOnWire(name, quotations),
  ...tallyOnWire(`${name}AndSourceIsPdf`, quotations.fromPdf),
  ...tallyOnWire(`${name}AndSourceIsMessage`, quotations.fromMessage),
});

export const agentOnWire = (
  { conversations }: BusinessReport,
  { name, tickets, sales, quotations }: AgentFigures,
): Figures<keyof typeof agentFields> => ({
  agente: name,
  totalTickets: tickets.total,
  completados: tickets.completed,
  cancelados: tickets.cancelled,
  pendientes: tickets.pending,
  proceso: tickets.inProgress,
  conversaciones: conversations,
  ventas: sales.count,
  ventasAmount: numberOf(sales.amount),
  cotizaciones: quotations.count,
  cotizacionesAmount: numberOf(quotations.amount),
});

export const adOnWire = (ad: AdFigures): Figures<keyof typeof adFields> => ({
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

const recordOnWire = (record: RegistrationRecord): object => ({
  id: record.id,
  tipo: typeOnWire(record.type),
  chat_id: record.chatId,
  agente_id: record.agentId,
  monto: numberOf(record.amount),
  moneda: record.currency,
  monto_base: record.baseAmount === null ? null : numberOf(record.baseAmount),
  origen: sourceOnWire(record.source),
  cerrada: record.closed,
  anuncio_id: record.adId,
  fecha: record.at,
});

export const typeOf = (wire: "venta" | "cotizacion"): RegistrationType => (wire === "venta" ? "sale" : "quotation");
const typeOnWire = (type: RegistrationType): "venta" | "cotizacion" => (type === "sale" ? "venta" : "cotizacion");

/** `mensaje` is stored as `message`, which the report counts separately. All other words are stored in lower case. */
export function sourceOf(wire: string): string {
  const word = wire.trim().toLowerCase();
  return word === "mensaje" ? "message" : word;
}
const sourceOnWire = (source: string): string => (source === "message" ? "mensaje" : source);

import { csvReply, wantsCsv } from "../../../infra/http/csv.ts";
import type { Dialect, InvalidInput } from "../../../infra/http/dialect.ts";
import { HttpProblem } from "../../../infra/http/problem.ts";
import { defineRoute, type Route } from "../../../infra/http/route.ts";
import { idOf, nullableText, problem, type Schema, text } from "../../../infra/http/schema.ts";
import { numberOf } from "../../../kernel/money.ts";
import type { SharedReports } from "../../application/ports.ts";
import type { PeriodProblem, ReportFailure } from "../../domain/failures.ts";
import type {
  AdFigures,
  AgentFigures,
  BusinessReport,
  QuotationTally,
  RegistrationRecord,
  Tally,
} from "../../domain/report.ts";
import { reportCsv, reportRows } from "./report-csv.ts";
import { sourceOnWire, typeOnWire } from "./spelling.ts";

const number = { type: "number" } as const;
const integer = { type: "integer" } as const;

const body = {
  type: "object",
  required: ["businessId", "startDate", "endDate"],
  properties: {
    businessId: { ...idOf("business"), "x-error": "businessId es requerido y debe ser un número" },
    token: { type: "string", description: "A session token; required without a key in a header" },
    startDate: { type: "string", example: "2026-01-01", "x-error": "startDate es requerido y debe ser una fecha" },
    endDate: { type: "string", example: "2026-01-31", "x-error": "endDate es requerido y debe ser una fecha" },
    includeBusinesses: {
      type: "array",
      items: idOf("business"),
      maxItems: 1_000,
      "x-error": {
        type: "includeBusinesses debe ser un arreglo de números",
        maxItems: "includeBusinesses no puede tener más de 1000",
      },
    },
  },
} as const satisfies Schema;

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

const adRow = {
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

const report = {
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

const periodTexts: Readonly<Record<PeriodProblem, string>> = {
  no_start: "startDate no es una fecha válida",
  no_end: "endDate no es una fecha válida",
  reversed: "startDate no puede ser posterior a endDate",
  too_long: "El periodo no puede ser mayor a 5 años",
};

export const reportDialect: Dialect<InvalidInput | ReportFailure> = {
  invalid_input: (error) => [400, { message: error.message }],
  report_not_shared: () => [400, { message: "La empresa no tiene habilitado el reporte compartido" }],
  bad_period: ({ problem }) => [400, { message: periodTexts[problem] }],
  report_too_large: ({ what, limit }) => [
    400,
    {
      message:
        what === "businesses"
          ? `El grupo no puede tener más de ${limit} empresas`
          : `El reporte no puede tener más de ${limit} registros de anuncios; acorta el periodo`,
    },
  ],
  unexpected: () => [500, { message: "Internal server error" }],
};

/** §7 Shared report. */
export const sharedReportRoute = (reports: Pick<SharedReports, "report">): Route =>
  defineRoute({
    method: "post",
    path: "/empresas/data-report/multi",
    operationId: "getSharedReport",
    tag: "Reports",
    summary: "Sales, quotations, conversations and tickets of a group of businesses",
    rules: [
      [
        "§7.1",
        "The caller is known by `x-api-key`, else `x-recado-key`, else `token` in the body, and belongs to the root " +
          "business.",
      ],
      [
        "§7.2",
        "The group is what the root's feature flag `group_shared_report` lists, in its order, at most 100 businesses. " +
          "`includeBusinesses` narrows it down; ids outside of it are ignored.",
      ],
      [
        "§7.3",
        "Both ends of the period are included. A date without a zone is in each business's own time zone, an `endDate` " +
          "without a time means the end of that day. At most five years.",
      ],
      [
        "§7.4",
        "Sales are closed sale records, quotations all quotation records, by their date. Amounts are in the base " +
          "currency of each business, at the rate of the record's day.",
      ],
      [
        "§7.5",
        "A record is an ad's when its chat had an `anuncio_id` as it was registered; every other is organic. Sources " +
          "other than pdf and message count in the totals only.",
      ],
      [
        "§7.6",
        "Rates are percentages with two decimals: sales of conversations, quotations of conversations, sales of " +
          "quotations. They are 0 over nothing, and may be above 100.",
      ],
      ["§7.7", "Temperatures are means over the conversations of the period that have one."],
      ["§7.8", "`tags` counts the events assigned_tag of the period, the most frequent first, at most 100."],
      [
        "§7.9",
        "`agentes` are the active agents. Tickets made in the period count by their state now; `conversaciones` is the " +
          "number of the business for each of them.",
      ],
      [
        "§7.10",
        "`adsBreakdown` is there when the feature flag `ad_account_for_report` is set: every ad with a record and " +
          "every ad that ran. What the ad platform does not tell in time is null. `salesRecords` holds all records of " +
          "the ad, at most 100,000 in one report.",
      ],
      [
        "§7.11",
        "With `Accept: text/csv` it comes as CSV: a line for each business, or by `?rows=` for each agent or ad. Columns " +
          "are named as the fields here.",
      ],
    ],
    auth: "key-or-body-token",
    bodyLimit: 64 * 1024,
    query: {
      type: "object",
      properties: { rows: { enum: reportRows, "x-error": "rows debe ser business, agent o ad" } },
    } as const,
    body,
    responses: {
      200: {
        description: "One report of each business",
        otherTypes: ["text/csv"],
        schema: {
          type: "object",
          required: ["data"],
          properties: { data: { type: "array", items: report } },
        },
      },
      400: { description: "A field is missing or wrong, or the business shares no report", schema: problem },
      401: { description: "No such key or token, or one of another business than the root", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: reportDialect,
    handle: async ({ body, query, headers, caller }) => {
      if (body.businessId !== caller.businessId) throw new HttpProblem(401, "Invalid API key");
      const found = await reports.report({
        rootId: body.businessId,
        startDate: body.startDate,
        endDate: body.endDate,
        ...(body.includeBusinesses && { include: body.includeBusinesses }),
      });
      if (wantsCsv(headers)) return csvReply(reportCsv(found, query.rows ?? "business"), "report.csv");
      return { data: found.map(onWire) };
    },
  });

function onWire(report: BusinessReport): object {
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

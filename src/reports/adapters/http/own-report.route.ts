import { csvReply, jsonReply, wantsCsv } from "../../../infra/http/csv.ts";
import { isAdministrator } from "../../../infra/http/routing/caller.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { integer, named, objectWith, problem, type Schema, text } from "../../../infra/http/routing/schema.ts";
import { numberOf } from "../../../kernel/money.ts";
import type { ReportRequest } from "../../application/ports.ts";
import type { SharedReport } from "../../application/shared-report.ts";
import { countDays, type Days, daysBefore } from "../../domain/period.ts";
import type { BusinessReport, DayFigures } from "../../domain/report.ts";
import { type Grain, grainOf, inGrain } from "../../domain/timeline.ts";
import { reportCsv } from "./report-csv.ts";
import { adFields, businessFields, businessOnWire, number, onWire, reportFields } from "./report-wire.ts";
import { forbiddenCaller, includedField, includedIn, reportDialect, rowsField } from "./shared-report.route.ts";

/** The most ads of one business in the JSON answer. */
const mostAds = 500;

const units: Readonly<Record<Grain, "dia" | "semana" | "mes">> = { day: "dia", week: "semana", month: "mes" };

const day = (name: string) =>
  ({
    type: "string",
    pattern: "^[12][0-9]{3}-[0-9]{2}-[0-9]{2}$",
    example: "2026-01-31",
    "x-error": `${name} es requerido y debe ser un día, como 2026-01-31`,
  }) as const;

const query = {
  type: "object",
  required: ["startDate", "endDate"],
  properties: {
    startDate: day("startDate"),
    endDate: day("endDate"),
    includeBusinesses: includedField,
    rows: rowsField,
  },
} as const satisfies Schema;

const point = named(
  "ReportPoint",
  objectWith({
    desde: text,
    conversaciones: integer,
    ventas: integer,
    ventasAmount: number,
    cotizaciones: integer,
    cotizacionesAmount: number,
  }),
);

const ownReport = named("OwnReport", {
  type: "object",
  required: [...Object.keys(reportFields), "plataforma_sin_respuesta", "serie", "anterior"],
  properties: {
    ...reportFields,
    adsBreakdown: { type: "array", maxItems: mostAds, items: named("OwnAdFigures", objectWith(adFields)) },
    plataforma_sin_respuesta: { type: "boolean", description: "The ad platform did not answer in time" },
    serie: { type: "array", items: point },
    anterior: { anyOf: [named("ReportFigures", objectWith(businessFields)), { type: "null" }] },
  },
} as const satisfies Schema);

const days = objectWith({ desde: text, hasta: text });

export const ownReportRoute = (reports: Pick<SharedReport, "report" | "figures" | "daily">): Route =>
  defineRoute({
    method: "get",
    path: "/reports",
    operationId: "getOwnReport",
    tag: "Reports",
    summary: "The report of the caller's business or group, over time and with the period before",
    rules: {
      "Reports.3":
        "The figures are those of the shared report (§7.2 to §7.9) of the caller's business. A business without the flag " +
        "`group_shared_report` gets only its own figures.",
      "Reports.4":
        "`startDate` and `endDate` are days, both included. `anterior` has the figures of the same number of days right " +
        "before them; it is null only if those are before the year 1000.",
      "Reports.5":
        "`serie` has a point for each day; from 121 days on it has one for each week, and from 731 days on one for each " +
        "month, dated by its first day.",
      "Reports.6":
        `\`adsBreakdown\` is as in §7.10, without the records, and has the ${mostAds} ads of a business with the most sales. ` +
        "`plataforma_sin_respuesta` means that names and spend are missing for now.",
      "Reports.7": "CSV as in §7.11, with every ad. The flag `reports_for` applies as in §7.12.",
    },
    auth: "key-or-session",
    lane: "reports",
    cost: 5,
    query,
    responses: {
      200: {
        description: "One report of each business",
        otherTypes: ["text/csv"],
        schema: objectWith({
          periodo: days,
          anterior: { anyOf: [days, { type: "null" }] },
          unidad: { enum: Object.values(units) },
          data: { type: "array", items: ownReport },
        }),
      },
      400: { description: "A parameter is missing or wrong", schema: problem },
      403: forbiddenCaller,
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: reportDialect,
    handle: async ({ query: { includeBusinesses, rows, ...period }, headers, caller, signal }) => {
      const request: ReportRequest = {
        rootId: caller.businessId,
        forAdministrator: isAdministrator(caller),
        orOwn: true,
        ...period,
        include: includedIn(includeBusinesses),
      };
      if (wantsCsv(headers)) {
        return csvReply(reportCsv(await reports.report(request, signal), rows ?? "business"), "report.csv");
      }
      const grain = grainOf(countDays(period));
      const before = daysBefore(period);
      const [found, daily, earlier] = await Promise.all([
        reports.report(request, signal),
        reports.daily(request, signal),
        before ? reports.figures({ ...request, ...before }, signal) : [],
      ]);
      const series = new Map(daily.map(({ business, days }) => [business.id, inGrain(days, grain)]));
      const earlierOf = new Map(earlier.map((each) => [each.business.id, businessOnWire(each)]));
      return jsonReply({
        periodo: daysOnWire(period),
        anterior: before && daysOnWire(before),
        unidad: units[grain],
        data: found.map((each) => ({
          ...onWire(listed(each), false),
          plataforma_sin_respuesta: each.isAdPlatformSilent,
          serie: (series.get(each.business.id) ?? []).map(pointOnWire),
          anterior: earlierOf.get(each.business.id) ?? null,
        })),
      });
    },
  });

const daysOnWire = ({ startDate, endDate }: Days) => ({ desde: startDate, hasta: endDate });

const pointOnWire = ({ day, conversations, sales, quotations }: DayFigures) => ({
  desde: day,
  conversaciones: conversations,
  ventas: sales.count,
  ventasAmount: numberOf(sales.amount),
  cotizaciones: quotations.count,
  cotizacionesAmount: numberOf(quotations.amount),
});

const listed = (report: BusinessReport): BusinessReport => ({
  ...report,
  ads: report.ads?.slice(0, mostAds) ?? null,
});

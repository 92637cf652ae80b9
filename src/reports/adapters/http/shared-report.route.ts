import { csvReply, jsonReply, wantsCsv } from "../../../infra/http/csv.ts";
import { isAdministrator } from "../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { idOf, keyRefused, objectWith, problem, type Schema, text } from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import type { ReportRequest } from "../../application/ports.ts";
import type { SharedReport } from "../../application/shared-report.ts";
import type { PeriodProblem, ReportFailure } from "../../domain/failures.ts";
import { reportCsv, reportRows } from "./report-csv.ts";
import { onWire, report } from "./report-wire.ts";

export const dateField = (name: string) =>
  ({ type: "string", example: "2026-01-31", "x-error": `${name} es requerido y debe ser una fecha` }) as const;

const body = {
  type: "object",
  required: ["businessId", "startDate", "endDate"],
  properties: {
    businessId: { ...idOf("business"), "x-error": "businessId es requerido y debe ser un número" },
    token: { type: "string", description: "A session token; required without a key or token elsewhere" },
    startDate: { ...dateField("startDate"), example: "2026-01-01" },
    endDate: dateField("endDate"),
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

/** The wanted businesses of the group; all of them by default. */
export const includedField = {
  type: "string",
  pattern: "^[0-9]{1,16}(,[0-9]{1,16}){0,999}$",
  example: "1,2",
  "x-error": "includeBusinesses debe ser una lista de números separados por comas",
} as const;

export const includedIn = (ids: string | undefined): number[] | undefined => ids?.split(",").map(Number);

export const rowsField = { enum: reportRows, "x-error": "rows debe ser business, agent, tag o ad" } as const;

const periodTexts: Readonly<Record<PeriodProblem, string>> = {
  no_start: "startDate no es una fecha válida",
  no_end: "endDate no es una fecha válida",
  reversed: "startDate no puede ser posterior a endDate",
};

export const reportDialect: Dialect<InvalidInput | BusinessNotFound | ReportFailure> = {
  invalid_input: (error) => [400, { message: error.message }],
  business_not_found: () => [401, { message: "Invalid API key" }],
  report_for_administrators: () => [403, { message: "El reporte es solo para administradores", code: "forbidden" }],
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

export const refusedCaller = "No such key or token, or it belongs to another business than the root";
export const forbiddenCaller = {
  description: "The root shows reports only to administrators",
  schema: objectWith({ message: text, code: { const: "forbidden" } }),
} as const;

/** §7 Shared report. */
export const sharedReportRoute = (reports: Pick<SharedReport, "report">): Route =>
  defineRoute({
    method: "post",
    path: "/empresas/data-report/multi",
    operationId: "getSharedReport",
    tag: "Reports",
    summary: "Sales, quotations, conversations and tickets of a group of businesses",
    rules: {
      "§7.1":
        "The caller is identified by `x-api-key`, else `x-recado-key`, else a session token as everywhere, else `token` in the " +
        "body, and belongs to the root business. Only the first 16 kB of an uncompressed body are searched for it, and such a " +
        "request counts against the rate of its address.",
      "§7.2":
        "The group is the list in the root's feature flag `group_shared_report`, in its order, at most 100 businesses. " +
        "`includeBusinesses` selects some of them; other ids are ignored.",
      "§7.3":
        "Both ends of the period are included. A date without a zone is in each business's own time zone, and an `endDate` " +
        "without a time means the end of that day. The length of the period is not limited.",
      "§7.4":
        "Sales are closed sale records, quotations all quotation records, by their date. Amounts are in the base " +
        "currency of each business, at the rate of the record's day. After a change of a business's base currency, a " +
        "record counts without an amount (`monto_base` null) until it is converted, which requires a rate.",
      "§7.5":
        "A record belongs to an ad if its chat had an `anuncio_id` when it was registered; all others are organic. Sources " +
        "other than pdf and message count only in the totals.",
      "§7.6":
        "Rates are percentages with two decimals: sales per conversation, quotations per conversation, sales per " +
        "quotation. They are 0 if the divisor is 0, and may be above 100.",
      "§7.7": "Temperatures are means of the conversations of the period that have one.",
      "§7.8": "`tags` counts the events assigned_tag of the period, the most frequent first, at most 100.",
      "§7.9":
        "`agentes` are the active agents. Tickets created in the period count by their present state; `conversaciones` is the " +
        "number of the business in each of them.",
      "§7.10":
        "`adsBreakdown` is present if the feature flag `ad_account_for_report` is set: it has every ad with a record or with " +
        "spend. Details that the ad platform does not give in time are null. `spend` is that of whole days on the ad " +
        "account's clock, even if the period begins or ends within a day. `salesRecords` has all records of the ad, at most " +
        "100,000 in one report.",
      "§7.11":
        "With `Accept: text/csv` the answer is CSV: a line for each business, or with `?rows=` for each agent, tag or ad. " +
        "Columns have the names of the fields here.",
      "§7.12":
        "If the root's feature flag `reports_for` is `administrators`, sessions of all other users get a 403. App Keys do " +
        "not.",
    },
    auth: "key-or-body-token",
    scope: "read",
    lane: "reports",
    cost: 5,
    bodyLimit: 64 * 1024,
    query: {
      type: "object",
      properties: { rows: rowsField },
    } as const,
    body,
    ownBusiness: "body.businessId",
    responses: {
      200: {
        description: "One report of each business",
        otherTypes: ["text/csv"],
        schema: objectWith({ data: { type: "array", items: report } }),
      },
      400: { description: "A field is missing or wrong, or the business shares no report", schema: problem },
      401: { description: refusedCaller, schema: keyRefused },
      403: forbiddenCaller,
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: reportDialect,
    handle: async ({ body, query, headers, caller, signal }) => {
      const request: ReportRequest = {
        rootId: body.businessId,
        forAdministrator: isAdministrator(caller),
        startDate: body.startDate,
        endDate: body.endDate,
        include: body.includeBusinesses,
      };
      const found = await reports.report(request, signal);
      if (wantsCsv(headers)) return csvReply(reportCsv(found, query.rows ?? "business"), "report.csv");
      return jsonReply({ data: found.map((each) => onWire(each)) });
    },
  });

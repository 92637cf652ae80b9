import { isAdministrator } from "../../../infra/http/routing/caller.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { numericIdOf, objectWith, problem, unauthorized, withOptional } from "../../../infra/http/routing/schema.ts";
import type { DrawReportPage, ReportRequest } from "../../application/ports.ts";
import type { SharedReport } from "../../application/shared-report.ts";
import type { BusinessReport } from "../../domain/report.ts";
import {
  dateField,
  forbiddenCaller,
  includedField,
  includedIn,
  refusedCaller,
  reportDialect,
} from "./shared-report.route.ts";

const query = withOptional(objectWith({ startDate: dateField("startDate"), endDate: dateField("endDate") }), {
  includeBusinesses: includedField,
  own: { type: "boolean", default: false },
});

/** The page loads nothing, and the content policy forbids it to load anything. */
const headers = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  "Cache-Control": "private, no-store",
  "Referrer-Policy": "no-referrer",
};

/** §7 as a page to read and to print. */
export const reportPageRoute = (reports: Pick<SharedReport, "report" | "daily">, draw: DrawReportPage): Route =>
  defineRoute({
    method: "get",
    path: "/reports/:businessId.html",
    operationId: "getReportPage",
    tag: "Reports",
    summary: "The shared report as one printable page, including charts",
    rules: {
      "Reports.1":
        "The figures of the shared report, also by day, on a page of its own without scripts, images or requests. Days become " +
        "weeks from 121 days on, and months from 731 days on. If the period is longer than five years, the charts begin and " +
        "end with the figures of the business.",
      "Reports.8": "With `own=true` a business that shares no report gets a page of its own figures.",
      "Reports.2": "The flag `reports_for` applies as in §7.12.",
    },
    auth: "key-or-session",
    lane: "reports",
    cost: 10,
    params: objectWith({ businessId: { ...numericIdOf("business"), "x-error": "businessId debe ser un número" } }),
    ownBusiness: "params.businessId",
    query,
    responses: {
      200: { description: "The page, text/html" },
      400: { description: "A parameter is missing or wrong, or the business shares no report", schema: problem },
      401: { description: refusedCaller, schema: { anyOf: [unauthorized, problem] } },
      403: forbiddenCaller,
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: reportDialect,
    handle: async ({
      params: { businessId },
      query: { startDate, endDate, includeBusinesses, own },
      caller,
      signal,
    }) => {
      const request: ReportRequest = {
        rootId: businessId,
        forAdministrator: isAdministrator(caller),
        startDate,
        endDate,
        include: includedIn(includeBusinesses),
        orOwn: own,
      };
      const [found, daily] = await Promise.all([reports.report(request, signal), reports.daily(request, signal)]);
      const page = await draw({ reports: found.map(withoutRecords), daily, madeAt: new Date() }, signal);
      return new Reply(200, page, headers, "text/html");
    },
  });

/** Leaves out the ads' records, because the page does not show them and a report may have 100,000. */
const withoutRecords = (report: BusinessReport): BusinessReport => ({
  ...report,
  ads: report.ads?.map((ad) => ({ ...ad, records: [] })) ?? null,
});

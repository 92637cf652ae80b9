import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { Thread } from "../infra/threads/thread.ts";
import { within } from "../kernel/within.ts";
import { ownReportRoute } from "../reports/adapters/http/own-report.route.ts";
import { registrationRoutes } from "../reports/adapters/http/registration.routes.ts";
import { reportPageRoute } from "../reports/adapters/http/report-page.route.ts";
import { sharedReportRoute } from "../reports/adapters/http/shared-report.route.ts";
import { temperatureRoute } from "../reports/adapters/http/temperature.route.ts";
import { PostgresRegistrations } from "../reports/adapters/postgres/registration-store.ts";
import { PostgresFoldStore, PostgresReportFolds } from "../reports/adapters/postgres/report-folds.ts";
import { PostgresReportReads } from "../reports/adapters/postgres/report-reads.ts";
import { PostgresTemperatures } from "../reports/adapters/postgres/temperatures.ts";
import { FoldReports, Registrations, SharedReport } from "../reports/public.ts";
import { moduleOf } from "./provide.ts";

/** Milliseconds that a report waits for the ad platform. */
const insightsWithinMs = 5_000;

export const reportsModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide(
    "sharedReports",
    ({ slowCells, reportedAds, log }) =>
      new SharedReport(
        new PostgresReportReads(slowCells),
        reportedAds,
        (work) => within(insightsWithinMs, work),
        (error, businessId) => log.warn({ err: error, businessId }, "a report has no figures of the ad platform"),
      ),
  );
  provide(
    "foldReports",
    ({ slowCells, log }) =>
      new FoldReports(
        new PostgresReportFolds(slowCells),
        new PostgresUnitOfWork(slowCells, (transaction) => ({ folds: new PostgresFoldStore(transaction) })),
        (error, businessId) =>
          log.error({ err: error, businessId }, "the daily figures of a business could not be computed"),
      ),
  );
  provideTick("reports.fold", 60, ({ foldReports }, signal) => foldReports.execute(signal));
  provide("pageThread", () => new Thread(new URL("../reports/adapters/html/page-thread", import.meta.url).href));
  provideBackground("thread that draws reports", "means", ({ pageThread }) => ({ stop: () => pageThread.close() }));
  provide("routes", ({ sharedReports, pageThread, cells }) => {
    const registrations = new PostgresUnitOfWork(cells, (transaction) => ({
      registrations: new PostgresRegistrations(transaction),
    }));
    return [
      sharedReportRoute(sharedReports),
      ownReportRoute(sharedReports),
      reportPageRoute(sharedReports, (page, signal) => pageThread.run(page, signal)),
      ...registrationRoutes(new Registrations(registrations)),
      temperatureRoute(new PostgresTemperatures(cells)),
    ];
  });
});

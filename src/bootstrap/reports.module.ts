import { ContainerModule } from "inversify";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
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
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/** Milliseconds that a report waits for what an ad platform has to say. */
const insightsWithinMs = 5_000;

export const reportsModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    tokens.sharedReports,
    [tokens.slowCells, tokens.reportedAds, tokens.log],
    (cells, insights, log) =>
      new SharedReport(
        new PostgresReportReads(cells),
        insights,
        (work) => within(insightsWithinMs, work),
        (error, businessId) =>
          log.warn({ err: error, businessId }, "a report goes without what the ad platform knows of its ads"),
      ),
  );
  provide(
    bind,
    tokens.foldReports,
    [tokens.slowCells, tokens.log],
    (cells, log) =>
      new FoldReports(
        new PostgresReportFolds(cells),
        new PostgresUnitOfWork(cells, (transaction) => ({ folds: new PostgresFoldStore(transaction) })),
        (error, businessId) => log.error({ err: error, businessId }, "the days of a business could not be folded"),
      ),
  );
  provide(bind, tokens.tick, [tokens.foldReports], (folds) =>
    tick("reports.fold", 60, (signal) => folds.execute(signal)),
  );
  provide(
    bind,
    tokens.pageThread,
    [],
    () => new Thread(new URL("../reports/adapters/html/page-thread", import.meta.url).href),
  );
  provide(bind, tokens.background, [tokens.pageThread], (thread) =>
    background("thread that draws reports", "means", { stop: () => thread.close() }),
  );
  provide(bind, tokens.routes, [tokens.sharedReports, tokens.pageThread, tokens.cells], (reports, thread, cells) => {
    const registrations = new PostgresUnitOfWork(cells, (transaction) => ({
      registrations: new PostgresRegistrations(transaction),
    }));
    return [
      sharedReportRoute(reports),
      ownReportRoute(reports),
      reportPageRoute(reports, (page, signal) => thread.run(page, signal)),
      ...registrationRoutes(new Registrations(registrations)),
      temperatureRoute(new PostgresTemperatures(cells)),
    ];
  });
});

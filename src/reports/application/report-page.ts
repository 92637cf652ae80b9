import type { BusinessReport, DailyFigures } from "../domain/report.ts";

/** What a page of a report shows. */
export interface ReportPage {
  readonly reports: readonly BusinessReport[];
  /** Of the same businesses. */
  readonly daily: readonly DailyFigures[];
  readonly madeAt: Date;
}

/** The page in pieces, in their order; between two of them others may have their turn. */
export type RenderReportPage = (page: ReportPage) => Iterable<string>;

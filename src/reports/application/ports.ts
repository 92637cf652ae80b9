import type { AdInsight, BusinessReport, DailyFigures, Period } from "../domain/report.ts";

/** What a shared report is asked for. */
export interface ReportRequest {
  /** Whose feature flag `group_shared_report` names the group. */
  readonly rootId: number;
  /**
   * ISO 8601; a date without a zone is in each business's own. The end is included, a date without a time to the end
   * of its day.
   */
  readonly startDate: string;
  readonly endDate: string;
  /** Those of the group that are wanted; the whole group unless given. Others are ignored. */
  readonly include?: readonly number[];
}

/** §7. Both reject with a `ReportFailure`, and list the businesses in the order of the group. */
export interface SharedReports {
  report(request: ReportRequest): Promise<BusinessReport[]>;
  /** The same figures day by day. */
  daily(request: ReportRequest): Promise<DailyFigures[]>;
}

/** What an ad platform knows of the ads of an account. */
export interface AdInsights {
  /** The ads that ran in the period. A rejection, or an answer that comes late, costs a report only these details. */
  adsOf(businessId: number, accountId: string, period: Period): Promise<readonly AdInsight[]>;
}

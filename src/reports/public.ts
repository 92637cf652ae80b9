export { FoldReports } from "./application/fold-reports.ts";
export type { ReportPage } from "./application/ports.ts";
export { Registrations } from "./application/registrations.ts";
export { SharedReport } from "./application/shared-report.ts";
export { isConversion } from "./domain/currency.ts";
export { largestGroup } from "./domain/group.ts";

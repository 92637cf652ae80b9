import { renderReportPage } from "./report-page.ts";

/** Runs in a thread of its own: drawing charts takes as much processor time as a hundred requests. */
export default renderReportPage;

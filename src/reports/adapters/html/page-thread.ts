import { renderReportPage } from "./report-page.ts";

/** What the thread does that draws pages: charts fill a processor for as long as a hundred requests take. */
export default renderReportPage;

import { csvLine } from "../../../infra/http/csv.ts";
import type { BusinessReport } from "../../domain/report.ts";
import { adFields, adOnWire, agentFields, agentOnWire, businessFields, businessOnWire } from "./report-wire.ts";

/** What each line of the CSV file is about. */
export const reportRows = ["business", "agent", "tag", "ad"] as const;
export type ReportRows = (typeof reportRows)[number];

type Line = Readonly<Record<string, string | number | null>>;

/** The lines of a report as CSV. Columns of figures have the names of the fields in the JSON answer. */
export function* reportCsv(reports: readonly BusinessReport[], rows: ReportRows): Generator<string> {
  const { columns, linesOf } = tables[rows];
  const all = [...ownerColumns, ...columns];
  yield csvLine(all);
  for (const report of reports) {
    const owner = ownerOf(report);
    for (const line of linesOf(report)) {
      const fields: Line = { ...owner, ...line };
      yield csvLine(all.map((column) => fields[column]));
    }
  }
}

interface Table {
  readonly columns: readonly string[];
  readonly linesOf: (report: BusinessReport) => readonly Line[];
}

const tables: Readonly<Record<ReportRows, Table>> = {
  business: { columns: Object.keys(businessFields), linesOf: (report) => [businessOnWire(report)] },
  agent: {
    columns: Object.keys(agentFields),
    linesOf: (report) => report.agents.map((agent) => agentOnWire(report, agent)),
  },
  tag: { columns: ["tag", "count"], linesOf: ({ tags }) => tags.map(({ name, count }) => ({ tag: name, count })) },
  ad: { columns: Object.keys(adFields), linesOf: (report) => (report.ads ?? []).map(adOnWire) },
};

const ownerOf = ({ business }: BusinessReport): Line => ({
  empresa_id: business.id,
  nombre: business.name,
  "feature_flags.currency": business.currency,
});
const ownerColumns = ["empresa_id", "nombre", "feature_flags.currency"];

import { groupBy } from "../../../kernel/group-by.ts";
import type { Money } from "../../../kernel/money.ts";
import { percentOf } from "../../domain/rates.ts";
import type { BusinessReport, DailyFigures } from "../../domain/report.ts";
import { addedUp, withoutGaps } from "../../domain/timeline.ts";
import { cash, keyFigures, table } from "./blocks.ts";
import { anchorOf } from "./business-section.ts";
import type { Charts } from "./charts.ts";
import { count, escaped, moneyTotal, percent } from "./format.ts";
import { amountsOverTime, countsOverTime, funnel } from "./sales-charts.ts";

/** The figures of all businesses together, and a table that compares them. */
export function* groupSection(
  charts: Charts,
  reports: readonly BusinessReport[],
  daily: readonly DailyFigures[],
): Generator<string> {
  const sum = (of: (report: BusinessReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const conversations = sum((report) => report.conversations);
  const sales = sum((report) => report.sales.all.count);
  const quotations = sum((report) => report.quotations.all.count);
  const groups = [...groupBy(reports, ({ business }) => business.currency)];
  const byCurrency = (of: (report: BusinessReport) => Money): string =>
    groups.map(([currency, own]) => moneyTotal(own.map(of), currency)).join(" + ");
  const keys = keyFigures([
    ["Conversaciones", count(conversations)],
    ["Ventas", count(sales), byCurrency((report) => report.sales.all.amount)],
    ["Cotizaciones", count(quotations), byCurrency((report) => report.quotations.all.amount)],
    ["Conversaciones con venta", percent(percentOf(sales, conversations))],
  ]);
  yield `<section aria-labelledby="grupo">\n<h2 id="grupo">Todo el grupo</h2>\n${keys}`;
  yield* overTimeOfGroup(charts, daily);
  yield funnel(charts, conversations, quotations, sales);
  yield comparison(reports);
  yield "</section>\n";
}

/** The counts of all businesses together, and the amounts by currency. */
function* overTimeOfGroup(charts: Charts, daily: readonly DailyFigures[]): Generator<string> {
  // For a very long period, `days` covers only the time with figures. `withoutGaps` adds days that no business covers.
  const daysOf = (some: readonly DailyFigures[]) => withoutGaps(addedUp(some.flatMap(({ days }) => days)));
  yield countsOverTime(charts, daysOf(daily));
  for (const [currency, own] of groupBy(daily, ({ business }) => business.currency)) {
    yield amountsOverTime(charts, daysOf(own), currency);
  }
}

function comparison(reports: readonly BusinessReport[]): string {
  const rows = reports.map((report) => [
    `<a href="#${anchorOf(report)}">${escaped(report.business.name)}</a>`,
    count(report.conversations),
    count(report.sales.all.count),
    cash(report.sales.all.amount, report.business.currency),
    percent(report.rates.salesPerConversation),
    count(report.quotations.all.count),
    cash(report.quotations.all.amount, report.business.currency),
  ]);
  const headings = ["Empresa", "Conversaciones", "Ventas", "Monto", "Conversión", "Cotizaciones", "Monto"];
  return table("Empresas", headings, rows);
}

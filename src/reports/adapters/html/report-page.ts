import type { ReportPage } from "../../application/ports.ts";
import { empty } from "./blocks.ts";
import { businessSection } from "./business-section.ts";
import { Charts } from "./charts.ts";
import { count, escaped, moment, period } from "./format.ts";
import { groupSection } from "./group-section.ts";
import { style } from "./style.ts";

/** Renders a report as one page that loads nothing: no scripts, images or fonts. */
export const renderReportPage = (page: ReportPage): string => [...partsOf(page)].join("");

function* partsOf(page: ReportPage): Generator<string> {
  const { reports, daily } = page;
  const charts = new Charts();
  const days = new Map(daily.map((each) => [each.business.id, each.days]));
  yield opening(page);
  if (reports.length === 0) yield empty("El informe no incluye ninguna empresa.");
  if (reports.length > 1) yield* groupSection(charts, reports, daily);
  for (const report of reports) {
    yield* businessSection(charts, report, days.get(report.business.id) ?? [], reports.length > 1);
  }
  yield closing(page);
}

function opening({ reports }: ReportPage): string {
  const [first] = reports;
  const title = reports.length === 1 && first ? first.business.name : "Informe del grupo";
  const when = first ? `Del ${period(first.period, first.business.timezone)}` : "";
  return `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)} · Informe</title>
<style>${style}</style>
</head>
<body>
<main>
<header>
<h1>${escaped(reports.length === 1 ? "Informe de conversaciones y ventas" : title)}</h1>
<p class="muted">${escaped(when)}${reports.length > 1 ? ` · ${count(reports.length)} empresas` : ""}</p>
</header>
`;
}

function closing({ reports, madeAt }: ReportPage): string {
  const timezone = reports[0]?.business.timezone ?? "America/La_Paz";
  return `<footer>Generado el ${escaped(moment(madeAt, timezone))} (${escaped(timezone)}). Las ventas son las
cerradas; los montos están en la moneda de cada empresa. Los porcentajes son sobre el total de conversaciones o de
cotizaciones y pueden pasar de 100&nbsp;%.</footer>
</main>
</body>
</html>
`;
}

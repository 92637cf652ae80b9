import type { Money } from "../../../kernel/money.ts";
import type { RenderReportPage, ReportPage } from "../../application/report-page.ts";
import { percentOf } from "../../domain/rates.ts";
import type {
  AdFigures,
  AgentFigures,
  BusinessReport,
  DailyFigures,
  DayFigures,
  TagCount,
  Tally,
} from "../../domain/report.ts";
import { amounts, Charts, colors } from "./charts.ts";
import { count, decimal, escaped, foreignMoney, moment, money, percent, period } from "./format.ts";
import { style } from "./style.ts";
import { addedUp, timelineOf } from "./timeline.ts";

/** Rows of a chart; the tables have all of them. */
const mostBars = 12;
const mostTags = 40;
const mostAds = 100;

/** A report as one page that needs nothing else: no script, no image, no font from anywhere. */
export const renderReportPage = (page: ReportPage): string => [...reportPageParts(page)].join("");

/** The same in pieces, of which none takes longer than a drawing. */
export const reportPageParts: RenderReportPage = function* (page) {
  const { reports, daily } = page;
  const charts = new Charts();
  const days = new Map(daily.map((each) => [each.business.id, each.days]));
  yield opening(page);
  if (reports.length === 0) yield empty("El informe no incluye ninguna empresa.");
  if (reports.length > 1) yield* groupSection(charts, reports, daily);
  for (const [index, report] of reports.entries()) {
    yield* businessSection(charts, report, days.get(report.business.id) ?? [], index > 0 || reports.length > 1);
  }
  yield closing(page);
};

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

const anchorOf = ({ business }: BusinessReport): string => `empresa-${business.id}`;

function* groupSection(
  charts: Charts,
  reports: readonly BusinessReport[],
  daily: readonly DailyFigures[],
): Generator<string> {
  const sum = (of: (report: BusinessReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const conversations = sum((report) => report.conversations);
  const sales = sum((report) => report.sales.all.count);
  const quotations = sum((report) => report.quotations.all.count);
  const byCurrency = (of: (report: BusinessReport) => Money): string =>
    currenciesOf(reports)
      .map((currency) => {
        const own = reports.filter(({ business }) => business.currency === currency);
        return money(
          own.reduce((total: Money, report) => total + of(report), 0n),
          currency,
        );
      })
      .join(" + ");
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

const currenciesOf = (reports: readonly { readonly business: { readonly currency: string } }[]): string[] => [
  ...new Set(reports.map(({ business }) => business.currency)),
];

/** Counts of all businesses; amounts for each currency by itself. */
function* overTimeOfGroup(charts: Charts, daily: readonly DailyFigures[]): Generator<string> {
  const daysOf = (some: readonly DailyFigures[]) => addedUp(some.flatMap(({ days }) => days));
  yield countsOverTime(charts, daysOf(daily));
  for (const currency of currenciesOf(daily)) {
    const inIt = daily.filter(({ business }) => business.currency === currency);
    yield amountsOverTime(charts, daysOf(inIt), currency);
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

function* businessSection(
  charts: Charts,
  report: BusinessReport,
  days: readonly DayFigures[],
  startsPage: boolean,
): Generator<string> {
  const { business, conversations, sales, quotations, rates, temperatures } = report;
  const { currency } = business;
  const anchor = anchorOf(report);
  const keys = keyFigures([
    ["Conversaciones", count(conversations)],
    ["Ventas", count(sales.all.count), money(sales.all.amount, currency)],
    ["Cotizaciones", count(quotations.all.count), money(quotations.all.amount, currency)],
    ["Conversaciones con venta", percent(rates.salesPerConversation)],
    ["Conversaciones con cotización", percent(rates.quotationsPerConversation)],
    ["Cotizaciones que son venta", percent(rates.salesPerQuotation)],
    ["Temperatura según la IA", decimal(temperatures.ai)],
    ["Temperatura según agentes", decimal(temperatures.agent)],
  ]);
  yield `<section${startsPage ? ` class="business"` : ""} aria-labelledby="${anchor}">`;
  yield `<h2 id="${anchor}">${escaped(business.name)}</h2>\n${keys}`;
  yield countsOverTime(charts, days);
  yield amountsOverTime(charts, days, currency);
  yield funnel(charts, conversations, quotations.all.count, sales.all.count);
  yield origins(charts, report);
  yield agentsOf(charts, report.agents, currency);
  yield tagsOf(charts, report.tags);
  if (report.ads !== null) yield adsOf(report.ads, currency);
  yield "</section>\n";
}

type KeyFigure = readonly [name: string, value: string, more?: string];

const keyFigures = (figures: readonly KeyFigure[]): string => {
  const cells = figures.map(([name, value, more]) => {
    const second = more === undefined ? "" : `<dd>${escaped(more)}</dd>`;
    return `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>${second}</div>`;
  });
  return `<dl class="keys">${cells.join("")}</dl>`;
};

const empty = (text: string): string => `<p class="empty">${escaped(text)}</p>`;

/** A drawing with a title, and what it shows in words for who does not see it. */
const figure = (title: string, description: string, drawing: string): string =>
  `<figure><figcaption>${escaped(title)}</figcaption><div role="img" aria-label="${escaped(description)}">${drawing}</div></figure>`;

const nothing = (title: string, text: string): string =>
  `<div class="block"><h3>${escaped(title)}</h3>${empty(text)}</div>`;

function countsOverTime(charts: Charts, days: readonly DayFigures[]): string {
  const { unit, labels, figures } = timelineOf(days);
  const title = `Ventas y cotizaciones por ${unit}`;
  const [sales, quotations] = [figures.map((each) => each.sales.count), figures.map((each) => each.quotations.count)];
  if (![...sales, ...quotations].some((value) => value > 0)) {
    return nothing(title, "No hubo ventas ni cotizaciones en el período.");
  }
  const drawing = charts.overTime(labels, [
    { name: "Ventas", color: colors.sales, values: sales },
    { name: "Cotizaciones", color: colors.quotations, values: quotations },
  ]);
  return figure(title, `${title}: ${count(total(sales))} ventas y ${count(total(quotations))} cotizaciones`, drawing);
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function amountsOverTime(charts: Charts, days: readonly DayFigures[], currency: string): string {
  const { unit, labels, figures } = timelineOf(days);
  const [sales, quotations] = [figures.map((each) => each.sales.amount), figures.map((each) => each.quotations.amount)];
  if (![...sales, ...quotations].some((value) => value !== 0n)) return "";
  const sum = (values: readonly Money[]): string =>
    money(
      values.reduce((all, value) => all + value, 0n),
      currency,
    );
  const title = `Montos por ${unit}, en ${currency}`;
  const drawing = charts.overTime(labels, [
    { name: "Ventas", color: colors.sales, values: amounts(sales) },
    { name: "Cotizaciones", color: colors.quotations, values: amounts(quotations) },
  ]);
  return figure(title, `${title}: ventas por ${sum(sales)}, cotizaciones por ${sum(quotations)}`, drawing);
}

function funnel(charts: Charts, conversations: number, quotations: number, sales: number): string {
  const title = "De la conversación a la venta";
  if (conversations + quotations + sales === 0) return nothing(title, "No hubo conversaciones en el período.");
  const ofAll = (value: number): string => `${count(value)} (${percent(percentOf(value, conversations))})`;
  const rows = [
    { name: "Conversaciones", value: conversations, text: count(conversations), color: colors.conversations },
    { name: "Cotizaciones", value: quotations, text: ofAll(quotations), color: colors.quotations },
    { name: "Ventas", value: sales, text: ofAll(sales), color: colors.sales },
  ];
  return figure(title, rows.map(({ name, text }) => `${name}: ${text}`).join("; "), charts.bars(rows));
}

/** From ads, or without one: shares as a drawing, figures as a table. */
function origins(charts: Charts, { business: { currency }, sales, quotations }: BusinessReport): string {
  const title = "Anuncios y orgánico";
  if (sales.all.count + quotations.all.count === 0) return "";
  const rows: readonly (readonly [name: string, fromAds: Tally, organic: Tally])[] = [
    ["Ventas", sales.fromAds, sales.organic],
    ["Cotizaciones", quotations.fromAds, quotations.organic],
    ["Cotizaciones de PDF", quotations.fromAds.fromPdf, quotations.organic.fromPdf],
    ["Cotizaciones de mensaje", quotations.fromAds.fromMessage, quotations.organic.fromMessage],
  ];
  const drawing = charts.shares(
    ["Ventas (cantidad)", "Ventas (monto)", "Cotizaciones (cantidad)", "Cotizaciones (monto)"],
    (["fromAds", "organic"] as const).map((origin) => {
      const tallies = [sales[origin], quotations[origin]];
      return {
        name: origin === "fromAds" ? "De anuncios" : "Orgánico",
        color: origin === "fromAds" ? colors.ads : colors.organic,
        values: tallies.flatMap((tally) => [tally.count, ...amounts([tally.amount])]),
        texts: tallies.flatMap((tally) => [count(tally.count), money(tally.amount, currency)]),
      };
    }),
  );
  const described = rows
    .slice(0, 2)
    .map(([name, ads, organic]) => `${name}: ${count(ads.count)} de anuncios, ${count(organic.count)} orgánicas`);
  const cells = rows.map(([name, ads, organic]) => [
    escaped(name),
    ...[ads, organic].flatMap((tally) => [count(tally.count), cash(tally.amount, currency)]),
  ]);
  const headings = ["Origen", "De anuncios", "Monto", "Orgánicas", "Monto"];
  return `${figure(title, described.join("; "), drawing)}\n${table("", headings, cells)}`;
}

function agentsOf(charts: Charts, agents: readonly AgentFigures[], currency: string): string {
  const title = "Agentes";
  if (agents.length === 0) return nothing(title, "La empresa no tiene agentes activos.");
  const ranked = [...agents].sort((a, b) => b.sales.count - a.sales.count || b.tickets.total - a.tickets.total);
  const shown = ranked.slice(0, mostBars);
  const names = shown.map(({ name }) => name);
  const among = agents.length > shown.length ? ` (los ${mostBars} con más ventas, de ${count(agents.length)})` : "";
  const tickets = (["completed", "inProgress", "pending", "cancelled"] as const).map((state) => ({
    name: ticketStates[state],
    color: colors[state],
    values: shown.map((agent) => agent.tickets[state]),
  }));
  const drawings = [
    shown.some(({ sales }) => sales.count > 0)
      ? figure(
          `Ventas por agente${among}`,
          shown.map(({ name, sales }) => `${name}: ${count(sales.count)}`).join("; "),
          charts.bars(
            shown.map(({ name, sales }) => ({
              name,
              value: sales.count,
              text: `${count(sales.count)} · ${money(sales.amount, currency)}`,
              color: colors.sales,
            })),
          ),
        )
      : "",
    shown.some((agent) => agent.tickets.total > 0)
      ? figure(
          `Tickets por agente y estado${among}`,
          shown.map((agent) => `${agent.name}: ${count(agent.tickets.total)}`).join("; "),
          charts.stacked(names, tickets),
        )
      : "",
  ];
  const rows = ranked.map((agent) => [
    escaped(agent.name),
    count(agent.sales.count),
    cash(agent.sales.amount, currency),
    count(agent.quotations.count),
    cash(agent.quotations.amount, currency),
    count(agent.tickets.total),
    count(agent.tickets.completed),
    count(agent.tickets.inProgress),
    count(agent.tickets.pending),
    count(agent.tickets.cancelled),
  ]);
  const headings = ["Agente", "Ventas", "Monto", "Cotiz.", "Monto", "Tickets", "Compl.", "Proceso", "Pend.", "Cancel."];
  return [...drawings, table(title, headings, rows)].join("\n");
}

const ticketStates = {
  completed: "Completados",
  inProgress: "En proceso",
  pending: "Pendientes",
  cancelled: "Cancelados",
} as const;

function tagsOf(charts: Charts, tags: readonly TagCount[]): string {
  const title = "Etiquetas más asignadas";
  if (tags.length === 0) return nothing(title, "No se asignaron etiquetas en el período.");
  const shown = tags.slice(0, mostBars);
  const rest = tags.slice(mostBars, mostTags);
  const drawing = charts.bars(
    shown.map((tag) => ({ name: tag.name, value: tag.count, text: count(tag.count), color: colors.conversations })),
  );
  const described = shown.map((tag) => `${tag.name}: ${count(tag.count)}`).join("; ");
  const others = rest.map((tag) => `${escaped(tag.name)}&nbsp;(${count(tag.count)})`).join(", ");
  const more = tags.length > mostTags ? ` y ${count(tags.length - mostTags)} más` : "";
  const also = others === "" ? "" : `<p class="muted small">Además: ${others}${more}.</p>`;
  return `${figure(title, described, drawing)}${also}`;
}

function adsOf(ads: readonly AdFigures[], currency: string): string {
  const title = "Anuncios";
  if (ads.length === 0) return nothing(title, "Ningún anuncio trajo ventas ni cotizaciones en el período.");
  const shown = ads.slice(0, mostAds);
  const rows = shown.map((ad) => [
    `${escaped(ad.name ?? "Sin nombre")}<br><span class="muted">${escaped(ad.adId)}</span>`,
    ad.spend === null ? "—" : escaped(foreignMoney(ad.spend, ad.currency)),
    count(ad.sales.count),
    cash(ad.sales.amount, currency),
    count(ad.quotations.count),
    cash(ad.quotations.amount, currency),
  ]);
  const more =
    ads.length > shown.length
      ? `<p class="muted small">Se muestran ${count(shown.length)} de ${count(ads.length)} anuncios.</p>`
      : "";
  return table(title, ["Anuncio", "Gasto", "Ventas", "Monto", "Cotizaciones", "Monto"], rows) + more;
}

/** For a cell. */
const cash = (amount: Money, currency: string): string => escaped(money(amount, currency));

/** Cells are HTML already; the first of each row names it. */
function table(caption: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${escaped(heading)}</th>`).join("");
  const body = rows.map(([name = "", ...cells]) => {
    const rest = cells.map((cell) => `<td>${cell}</td>`).join("");
    return `<tr><th scope="row">${name}</th>${rest}</tr>`;
  });
  const named = caption === "" ? "" : `<caption>${escaped(caption)}</caption>`;
  return `<div class="wide"><table>${named}<thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

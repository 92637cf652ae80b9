import { numberOf } from "../../../kernel/money.ts";
import type { AdFigures, BusinessReport, DayFigures, TagCount, Tally } from "../../domain/report.ts";
import { agentsOf } from "./agents.ts";
import { cash, figure, keyFigures, nothing, table } from "./blocks.ts";
import { type Charts, colors, mostBars } from "./charts.ts";
import { count, decimal, escaped, foreignMoney, money, percent } from "./format.ts";
import { amountsOverTime, countsOverTime, funnel } from "./sales-charts.ts";

const mostTags = 40;
const mostAds = 100;

/** The target of links to the section of a business. */
export const anchorOf = ({ business }: BusinessReport): string => `empresa-${business.id}`;

export function* businessSection(
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
  if (report.ads !== null) yield adsOf(report.ads, currency) + (report.isAdPlatformSilent ? adPlatformSilence : "");
  yield "</section>\n";
}

/** Compares sales and quotations from ads with organic ones. A chart shows the shares, and a table the numbers. */
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
        values: tallies.flatMap((tally) => [tally.count, numberOf(tally.amount)]),
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

const adPlatformSilence = `<p class="muted small">No se obtuvo respuesta de la plataforma de anuncios: faltan los
nombres de los anuncios y lo que se gastó en ellos.</p>`;

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

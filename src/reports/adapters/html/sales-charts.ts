import { numberOf } from "../../../kernel/money.ts";
import { percentOf } from "../../domain/rates.ts";
import type { DayFigures } from "../../domain/report.ts";
import { type Grain, grainOf, inGrain } from "../../domain/timeline.ts";
import { figure, nothing } from "./blocks.ts";
import { type Charts, colors } from "./charts.ts";
import { count, moneyTotal, percent, shortDay, shortMonth } from "./format.ts";

const written: Readonly<Record<Grain, { readonly unit: string; readonly labelOf: (day: string) => string }>> = {
  day: { unit: "día", labelOf: shortDay },
  week: { unit: "semana", labelOf: shortDay },
  month: { unit: "mes", labelOf: shortMonth },
};

function timelineOf(days: readonly DayFigures[]) {
  const grain = grainOf(days.length);
  const figures = inGrain(days, grain);
  const { unit, labelOf } = written[grain];
  return { unit, labels: figures.map(({ day }) => labelOf(day)), figures };
}

export function countsOverTime(charts: Charts, days: readonly DayFigures[]): string {
  const { unit, labels, figures } = timelineOf(days);
  const title = `Ventas y cotizaciones por ${unit}`;
  const [sales, quotations] = [figures.map((each) => each.sales.count), figures.map((each) => each.quotations.count)];
  if (![...sales, ...quotations].some((value) => value > 0)) {
    return nothing(title, "No hubo ventas ni cotizaciones en el período.");
  }
  const drawing = charts.overTime(labels, linesOf(sales, quotations));
  return figure(title, `${title}: ${count(total(sales))} ventas y ${count(total(quotations))} cotizaciones`, drawing);
}

export function amountsOverTime(charts: Charts, days: readonly DayFigures[], currency: string): string {
  const { unit, labels, figures } = timelineOf(days);
  const [sales, quotations] = [figures.map((each) => each.sales.amount), figures.map((each) => each.quotations.amount)];
  if (![...sales, ...quotations].some((value) => value !== 0n)) return "";
  const title = `Montos por ${unit}, en ${currency}`;
  const sums = `ventas por ${moneyTotal(sales, currency)}, cotizaciones por ${moneyTotal(quotations, currency)}`;
  const drawing = charts.overTime(labels, linesOf(sales.map(numberOf), quotations.map(numberOf)));
  return figure(title, `${title}: ${sums}`, drawing);
}

const linesOf = (sales: readonly number[], quotations: readonly number[]) => [
  { name: "Ventas", color: colors.sales, values: sales },
  { name: "Cotizaciones", color: colors.quotations, values: quotations },
];

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function funnel(charts: Charts, conversations: number, quotations: number, sales: number): string {
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

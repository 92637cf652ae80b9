import { answered, api, type paths } from "../shared/api.ts";
import type { Days } from "./periods.ts";

type Answered<Path extends "/reports"> = Exclude<
  paths[Path]["get"]["responses"][200]["content"]["application/json"],
  string
>;
export type Reports = Answered<"/reports">;
export type Report = Reports["data"][number];
export type Point = Report["serie"][number];
export type Agent = Report["agentes"][number];
export type Ad = NonNullable<Report["adsBreakdown"]>[number];

export const reportKey = ({ from, to }: Days) => ["report", from, to] as const;

export const fetchReports = ({ from, to }: Days, signal: AbortSignal): Promise<Reports> =>
  answered(api.GET("/reports", { params: { query: { startDate: from, endDate: to } }, signal }));

/** The figures of one business, or of several. */
export interface Figures {
  readonly conversaciones: number;
  readonly salesCount: number;
  readonly quotationsCount: number;
  /** In the currency of the view; null if the businesses have different currencies. */
  readonly salesAmount: number | null;
  readonly quotationsAmount: number | null;
  readonly salesConversionRate: number;
  readonly qoutationConversionRate: number;
  readonly qoutationToSalesConversionRate: number;
  /** Null for several businesses, since a mean of means is meaningless. */
  readonly averageTemperature: number | null;
  readonly averageAgentTemperature: number | null;
}

export interface View {
  readonly reports: readonly Report[];
  readonly figures: Figures;
  readonly before: Figures | null;
  readonly points: readonly Point[];
  /** The currency of all amounts; null if there are several currencies, since their amounts cannot be added. */
  readonly currency: string | null;
}

export const currencyOf = ({ data }: Report): string => String(data.feature_flags.currency);

/** The figures of one business, or of the whole group. */
export function viewOf(all: readonly Report[], business: number | undefined): View {
  const chosen = all.filter(({ data }) => data.id === business);
  const reports = chosen.length > 0 ? chosen : all;
  const currencies = new Set(reports.map(currencyOf));
  const [only] = reports;
  const currency = currencies.size === 1 && only ? currencyOf(only) : null;
  const before = reports.flatMap(({ anterior }) => (anterior ? [anterior] : []));
  return {
    reports,
    currency,
    figures: together(reports, currency !== null),
    before: before.length === reports.length && before.length > 0 ? together(before, currency !== null) : null,
    points: pointsOf(reports),
  };
}

type Counted = NonNullable<Report["anterior"]>;

function together(some: readonly Counted[], isOneCurrency: boolean): Figures {
  const [only] = some;
  if (some.length === 1 && only) return only;
  const count = (of: (each: Counted) => number): number => some.reduce((sum, each) => sum + of(each), 0);
  const amount = (of: (each: Counted) => number): number | null => (isOneCurrency ? sumOf(some.map(of)) : null);
  const conversaciones = count((each) => each.conversaciones);
  const salesCount = count((each) => each.salesCount);
  const quotationsCount = count((each) => each.quotationsCount);
  return {
    conversaciones,
    salesCount,
    quotationsCount,
    salesAmount: amount((each) => each.salesAmount),
    quotationsAmount: amount((each) => each.quotationsAmount),
    salesConversionRate: percentOf(salesCount, conversaciones),
    qoutationConversionRate: percentOf(quotationsCount, conversaciones),
    qoutationToSalesConversionRate: percentOf(salesCount, quotationsCount),
    averageTemperature: null,
    averageAgentTemperature: null,
  };
}

/** The sum is exact to two decimals. */
export const sumOf = (amounts: readonly number[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100;

/** The percentage with two decimals. The service rounds in the same way. */
const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((part * 20_000 + whole) / (whole * 2)) / 100;

function pointsOf(reports: readonly Report[]): Point[] {
  const sums = new Map<string, Point>();
  for (const point of reports.flatMap(({ serie }) => serie)) {
    const sum = sums.get(point.desde);
    sums.set(point.desde, sum ? plus(sum, point) : point);
  }
  return [...sums.values()].sort((a, b) => (a.desde < b.desde ? -1 : 1));
}

const plus = (a: Point, b: Point): Point => ({
  desde: a.desde,
  conversaciones: a.conversaciones + b.conversaciones,
  ventas: a.ventas + b.ventas,
  ventasAmount: sumOf([a.ventasAmount, b.ventasAmount]),
  cotizaciones: a.cotizaciones + b.cotizaciones,
  cotizacionesAmount: sumOf([a.cotizacionesAmount, b.cotizacionesAmount]),
});

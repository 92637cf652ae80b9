import * as echarts from "echarts";
import { wide } from "./blocks.ts";
import { escaped, short } from "./format.ts";
import { cut, widthOf } from "./lettering.ts";

/** The colour of each kind of figure in charts. Colours that touch in a chart also differ if printed in grey. */
export const colors = {
  conversations: "#64748b",
  sales: "#0f766e",
  quotations: "#d97706",
  ads: "#1d4ed8",
  organic: "#93c5fd",
  completed: "#15803d",
  inProgress: "#60a5fa",
  pending: "#fbbf24",
  cancelled: "#b91c1c",
} as const;

/** The most rows of a chart. Further agents are only in the table, further tags only in the text below the chart. */
export const mostBars = 12;

/** The width of the page's text in pixels. */
const chartWidth = 720;

const ink = "#1f2937";
const faint = "#e5e7eb";
const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const barRow = 26;
const nameWidth = 178;
const barsRight = 12;

/** Turns off the reactions to a mouse, because the page has no script. */
const still = { silent: true, emphasis: { disabled: true } } as const;
const mostTimesInBars = 3;
/** The last mark of an axis is at most this many times the largest value. */
const aboveMost = 1.4;
const bar = { type: "bar", barMaxWidth: 48 } as const;
const lineOf = (times: number) =>
  ({
    type: "line",
    symbol: times > 45 ? "none" : "circle",
    symbolSize: 4,
    lineStyle: { width: 2 },
    areaStyle: { opacity: 0.08 },
  }) as const;
const label = { color: ink, fontSize: 11 } as const;

interface Series {
  readonly name: string;
  readonly color: string;
  readonly values: readonly number[];
}

type Option = Parameters<ReturnType<typeof echarts.init>["setOption"]>[0];

/** Draws the charts of one page. Each chart has its own ids, because all charts are in one document. */
export class Charts {
  private drawn = 0;

  /** Draws a line for each series, or bars if there are too few times for a line. */
  overTime(times: readonly string[], series: readonly Series[]): string {
    const areBars = times.length <= mostTimesInBars;
    const most = Math.max(0, ...series.flatMap(({ values }) => values));
    return this.draw(
      190,
      {
        grid: { left: Math.max(56, widthOf(short(Math.round(most * aboveMost))) + 8), right: 12, top: 10, bottom: 24 },
        xAxis: {
          type: "category",
          data: [...times],
          boundaryGap: areBars,
          axisLine: { lineStyle: { color: "#9ca3af" } },
          axisTick: { show: false },
          axisLabel: { ...label, hideOverlap: true },
        },
        yAxis: valueAxis,
        series: series.map(({ name, color, values }) => ({
          ...still,
          ...(areBars ? bar : lineOf(times.length)),
          name,
          color,
          data: [...values],
        })),
      },
      series,
    );
  }

  /** Draws a bar for each row, with the row's text to the right of the bar. */
  bars(
    rows: readonly { readonly name: string; readonly value: number; readonly text: string; readonly color: string }[],
  ) {
    const most = Math.max(1, ...rows.map(({ value }) => value));
    return this.draw(rows.length * barRow + 12, {
      grid: { left: nameWidth, right: 12, top: 4, bottom: 4 },
      // Leaves room for the text to the right of the longest bar.
      xAxis: { type: "value", max: most * 1.45, show: false },
      yAxis: namesOf(rows.map(({ name }) => name)),
      series: [
        {
          ...still,
          type: "bar",
          barWidth: 16,
          data: rows.map(({ value, color, text }) => ({
            value,
            itemStyle: { color, borderRadius: 2 },
            label: { ...label, show: true, position: "right", formatter: () => text },
          })),
        },
      ],
    });
  }

  /** Draws a bar for each row, divided into the percentages of the series. */
  shares(names: readonly string[], series: readonly (Series & { readonly texts: readonly string[] })[]): string {
    const wholes = names.map((_, row) => series.reduce((sum, { values }) => sum + (values[row] ?? 0), 0));
    return this.draw(
      names.length * barRow + 8,
      {
        grid: { left: nameWidth, right: barsRight, top: 4, bottom: 4 },
        xAxis: { type: "value", max: 100, show: false },
        yAxis: namesOf(names),
        series: series.map(({ name, color, values, texts }) => ({
          ...still,
          type: "bar",
          name,
          color,
          stack: "all",
          barWidth: 18,
          data: names.map((_, row) => {
            const share = wholes[row] ? ((values[row] ?? 0) / wholes[row]) * 100 : 0;
            const text = texts[row] ?? "";
            // A part of a bar shows its text only if the text fits. The table below the drawing has all numbers.
            const shown = widthOf(text) + 6 <= (share / 100) * (chartWidth - nameWidth - barsRight) ? text : "";
            return {
              value: share,
              label: { show: shown !== "", formatter: () => shown, color: inkOn(color), fontSize: 11 },
            };
          }),
        })),
      },
      series,
    );
  }

  /** Draws the series of each row side by side in one bar. All bars have the same scale. */
  stacked(names: readonly string[], series: readonly Series[]): string {
    return this.draw(
      names.length * 22 + 30,
      {
        grid: { left: nameWidth, right: 16, top: 4, bottom: 22 },
        xAxis: valueAxis,
        yAxis: namesOf(names),
        series: series.map(({ name, color, values }) => ({
          ...still,
          type: "bar",
          name,
          color,
          stack: "all",
          barWidth: 13,
          data: [...values],
        })),
      },
      series,
    );
  }

  private draw(height: number, option: Option, series: readonly Series[] = []): string {
    const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: chartWidth, height });
    try {
      chart.setOption({ animation: false, textStyle: { fontFamily: font, color: ink }, ...option });
      this.drawn += 1;
      return legendOf(series) + wide(inPage(chart.renderToSVGString(), this.drawn, height));
    } finally {
      chart.dispose();
    }
  }
}

/** Lets the drawing shrink on a narrow screen. Screen readers skip it and read the description of its `div`. */
const inPage = (svg: string, number: number, height: number): string =>
  svg
    .replace(
      /^<svg [^>]*>/,
      `<svg viewBox="0 0 ${chartWidth} ${height}" width="${chartWidth}" height="${height}" aria-hidden="true" focusable="false">`,
    )
    // Removes what only serves a mouse, and the fonts, because the page sets its own.
    .replaceAll(
      /<style[^>]*>[\s\S]*?<\/style>| class="zr[^"]*"| (?:pointer-events|ecmeta_\w+)="[^"]*"|font-family:[^;"]*;/g,
      "",
    )
    .replaceAll(/\bzr\d+-/g, `c${number}-`);

const valueAxis = {
  type: "value",
  minInterval: 1,
  splitNumber: 4,
  splitLine: { lineStyle: { color: faint } },
  axisLabel: { ...label, formatter: (value: number) => short(value) },
} as const;

const namesOf = (names: readonly string[]) =>
  ({
    type: "category",
    data: names.map((_, index) => String(index)),
    inverse: true,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      ...label,
      interval: 0,
      margin: 10,
      formatter: (index: string) => cut(names[Number(index)] ?? ""),
    },
  }) as const;

/** The legend is text above the drawing, because only the browser knows the width of the letters. */
function legendOf(series: readonly Series[]): string {
  const items = series.map(({ name, color }) => `<span><i style="background:${color}"></i>${escaped(name)}</span>`);
  return items.length === 0 ? "" : `<p class="legend">${items.join(" ")}</p>`;
}

const inkOn = (color: string): string => (color === colors.organic ? ink : "#ffffff");

import { useComputedColorScheme } from "@mantine/core";
import { BarChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import { type ECharts, type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import type { ChartProps } from "./chart-props.ts";
import styles from "./charts.module.css";
import { colorsOf, type Scheme } from "./colors.ts";

use([BarChart, GridComponent, TooltipComponent, SVGRenderer]);

/** Loaded on demand, since the chart library is large. */
export function ChartCanvas(props: ChartProps) {
  const scheme = useComputedColorScheme("light");
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<ECharts>(null);

  useEffect(() => {
    if (!place.current) return;
    const made = init(place.current, null, { renderer: "svg" });
    chart.current = made;
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(place.current);
    return () => {
      watch.disconnect();
      made.dispose();
    };
  }, []);

  useEffect(() => {
    chart.current?.setOption(optionOf(props, scheme), { notMerge: true });
  });

  return <div ref={place} className={styles.canvas} />;
}

function optionOf(props: ChartProps, scheme: Scheme): EChartsCoreOption {
  const { categories, series, short, isRanked = false } = props;
  const colors = colorsOf(scheme);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const names = {
    type: "category",
    data: categories,
    inverse: isRanked,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colors.line } },
    axisLabel: { color: colors.text, hideOverlap: true, ...(isRanked && { width: 112, overflow: "truncate" }) },
  };
  const values = {
    type: "value",
    min: 0,
    // Counts are integers, so the axis has no fractions.
    minInterval: 1,
    splitNumber: isRanked ? 3 : 4,
    splitLine: { lineStyle: { color: colors.line } },
    axisLabel: { color: colors.text, hideOverlap: true, formatter: short },
  };
  return {
    animation: !isStill,
    animationDuration: 250,
    grid: { left: 4, right: 18, top: 14, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    // The library measures the labels itself, so it needs the name of the font.
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
    color: [...colors.series],
    tooltip: {
      trigger: "axis",
      confine: true,
      axisPointer: { type: "shadow", shadowStyle: { color: colors.hover } },
      backgroundColor: colors.surface,
      borderColor: colors.line,
      textStyle: { color: colors.ink, fontSize: 13 },
      formatter: (hovered: unknown) => tooltipOf(props, hovered),
    },
    xAxis: isRanked ? values : names,
    yAxis: isRanked ? names : values,
    series: series.map(({ name, values }) => ({
      type: "bar",
      name,
      data: values,
      barMaxWidth: isRanked ? 18 : 34,
      barMinHeight: 0,
      itemStyle: { borderRadius: isRanked ? [0, 4, 4, 0] : [4, 4, 0, 0] },
    })),
  };
}

/** Returns DOM nodes, since the library would insert a text as HTML, and names may contain markup. */
function tooltipOf({ titles, categories, series, format, formatAt }: ChartProps, hovered: unknown): HTMLElement {
  const [first] = hovered as readonly { readonly dataIndex: number }[];
  const index = first?.dataIndex ?? 0;
  const box = document.createElement("div");
  const title = document.createElement("strong");
  title.textContent = titles?.[index] ?? categories[index] ?? "";
  box.append(title);
  for (const { name, values } of series) {
    const line = document.createElement("div");
    line.textContent = `${name}: ${formatAt?.(index) ?? format(values[index] ?? 0)}`;
    box.append(line);
  }
  return box;
}

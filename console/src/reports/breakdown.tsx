import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chart } from "./chart.tsx";
import { type Column, columnOf, FiguresTable, knownSort, sorted } from "./figures-table.tsx";
import { useFormats } from "./formats.ts";
import { Part } from "./part.tsx";
import styles from "./reports.module.css";
import { useReportSearch } from "./use-search.ts";

/** A figure by which the rows can be sorted and charted. */
export interface Counted<Row> {
  readonly id: ColumnId;
  readonly kind: "count" | "money" | "percent";
  readonly value: (row: Row) => number | null;
  readonly shown?: (row: Row) => string;
}

type ColumnId =
  | "salesAmount"
  | "salesCount"
  | "quotationsAmount"
  | "quotationsCount"
  | "conversaciones"
  | "salesConversionRate"
  | "averageTemperature"
  | "ventasAmount"
  | "ventas"
  | "cotizacionesAmount"
  | "cotizaciones"
  | "totalTickets"
  | "completados"
  | "proceso"
  | "pendientes"
  | "cancelados"
  | "count"
  | "sales"
  | "quotations"
  | "spend"
  | "costPerSale";

interface BreakdownProps<Row> {
  readonly id: "businesses" | "agents" | "tags" | "ads";
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly shownOf?: (row: Row) => ReactNode;
  readonly keyOf: (row: Row, index: number) => string | number;
  readonly currencyOf: (row: Row) => string | null;
  /** The name of a row's business; undefined if all rows belong to one business. */
  readonly businessOf?: ((row: Row) => string) | undefined;
  readonly columns: readonly Counted<Row>[];
  /** The initial sort column. */
  readonly first: ColumnId;
  readonly empty: string;
}

const barsAtMost = 10;
/** With more columns the table is below the chart. */
const columnsBeside = 6;

/** A ranking as a chart and a table. The chart shows the sort column, or `first` if the sort column has names. */
export function Breakdown<Row>(props: BreakdownProps<Row>) {
  const { id, rows, nameOf, shownOf, keyOf, currencyOf, businessOf, columns, first, empty } = props;
  const { t } = useTranslation("reports");
  const formats = useFormats();
  const { search, set } = useReportSearch();
  const written = (column: Counted<Row>, row: Row): string => {
    if (column.shown) return column.shown(row);
    const value = column.value(row);
    if (value === null) return formats.money(null, null);
    if (column.kind === "money") return formats.money(value, currencyOf(row));
    return column.kind === "percent" ? formats.percent(value) : formats.count(value);
  };
  const name: Column<Row> = {
    id: "name",
    title: t(`part.${id}.name`),
    value: nameOf,
    ...(shownOf && { shown: shownOf }),
  };
  const business: Column<Row>[] = businessOf ? [{ id: "business", title: t("business"), value: businessOf }] : [];
  const figures: Column<Row>[] = columns.map((column) => ({
    id: column.id,
    title: t(`column.${column.id}`),
    value: column.value,
    shown: (row) => written(column, row),
  }));
  const all = [name, ...business, ...figures];
  const sort = knownSort(all, search.sort, first);
  const title = t(`part.${id}.title`);
  if (rows.length === 0) return <p className={styles.empty}>{empty}</p>;
  const shown = columnOf(columns, sort) ?? columnOf(columns, first);
  // Bars in different currencies would be misleading.
  const isMixed = shown?.kind === "money" && new Set(rows.map(currencyOf)).size > 1;
  const bars = shown ? sorted(rows, all, shown.id).slice(0, barsAtMost) : [];
  return (
    <Part title={title} chart={all.length > columnsBeside ? "whole" : "half"}>
      {isMixed && <p className={styles.note}>{t("mixed")}</p>}
      {shown && !isMixed && (
        <div className={styles.ranked}>
          <p className={styles.caption}>
            {rows.length > bars.length
              ? t("top", { count: bars.length, name: t(`column.${shown.id}`) })
              : t(`column.${shown.id}`)}
          </p>
          <Chart
            label={t("chartOf", { name: t(`column.${shown.id}`), part: title })}
            categories={bars.map(nameOf)}
            titles={bars.map((row) => (businessOf ? `${nameOf(row)} · ${businessOf(row)}` : nameOf(row)))}
            series={[{ name: t(`column.${shown.id}`), values: bars.map((row) => shown.value(row) ?? 0) }]}
            format={formats.count}
            formatAt={(index) => {
              const row = bars[index];
              return row === undefined ? "" : written(shown, row);
            }}
            short={formats.short}
            isRanked
          />
        </div>
      )}
      <FiguresTable
        label={title}
        columns={all}
        rows={rows}
        keyOf={keyOf}
        sorting={{ sort, onSort: (wanted) => set({ sort: wanted }) }}
      />
    </Part>
  );
}

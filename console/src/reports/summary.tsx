import { Select, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Chart } from "./chart.tsx";
import { type Column, FiguresTable, knownSort } from "./figures-table.tsx";
import { type Formats, useFormats } from "./formats.ts";
import { Part } from "./part.tsx";
import styles from "./reports.module.css";
import { type Point, type Report, type Reports, sumOf, type View } from "./reports.ts";
import { type Measure, measures } from "./search.ts";
import { useReportSearch } from "./use-search.ts";

type Unit = Reports["unidad"];

export function Summary({ view, unit }: { readonly view: View; readonly unit: Unit }) {
  const { t } = useTranslation("reports");
  const { conversaciones, salesCount, quotationsCount } = view.figures;
  if (conversaciones + salesCount + quotationsCount === 0) return <p className={styles.empty}>{t("empty.period")}</p>;
  return (
    <>
      <OverTime view={view} unit={unit} />
      <Origins view={view} />
    </>
  );
}

const isAmount = (measure: Measure): boolean => measure.endsWith("Amount");

function OverTime({ view: { points, currency }, unit }: { readonly view: View; readonly unit: Unit }) {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  const { search, set } = useReportSearch();
  const offered = measures.filter((each) => currency !== null || !isAmount(each));
  const measure = offered.find((each) => each === search.measure) ?? offered[0] ?? "ventas";
  const name = t(`measure.${measure}`);
  const format = (value: number): string => (isAmount(measure) ? formats.money(value, currency) : formats.count(value));
  const columns: readonly Column<Point>[] = [
    {
      id: "desde",
      title: t(`unit.${unit}`),
      value: ({ desde }) => desde,
      shown: ({ desde }) => titleOf(desde, unit, formats),
    },
    ...offered.map((each) => ({
      id: each,
      title: t(`measure.${each}`),
      value: (point: Point) => point[each],
      shown: (point: Point) => (isAmount(each) ? formats.money(point[each], currency) : formats.count(point[each])),
    })),
  ];
  return (
    <Part
      title={t(`overTime.${unit}`)}
      control={
        <Select
          aria-label={t("measure.label")}
          size="xs"
          data={offered.map((value) => ({ value, label: t(`measure.${value}`) }))}
          value={measure}
          onChange={(value) => set({ measure: (value ?? undefined) as Measure | undefined })}
          allowDeselect={false}
        />
      }
    >
      <Chart
        label={t("chartOf", { name, part: t(`overTime.${unit}`) })}
        categories={points.map(({ desde }) => (unit === "mes" ? formats.month(desde) : formats.day(desde)))}
        titles={points.map(({ desde }) => titleOf(desde, unit, formats))}
        series={[{ name, values: points.map((point) => point[measure]) }]}
        format={format}
        short={formats.short}
      />
      <FiguresTable
        label={t(`overTime.${unit}`)}
        columns={columns}
        rows={points}
        keyOf={({ desde }) => desde}
        sorting={{ sort: knownSort(columns, search.sort, "desde"), onSort: (sort) => set({ sort }) }}
      />
    </Part>
  );
}

function titleOf(day: string, unit: Unit, formats: Formats): string {
  if (unit === "mes") return formats.month(day);
  return formats.range(day, day);
}

interface Origin {
  readonly id: "ads" | "organic";
  readonly sales: number;
  readonly salesAmount: number;
  readonly quotations: number;
  readonly quotationsAmount: number;
  readonly fromPdf: number;
  readonly fromMessage: number;
}

function originsOf(reports: readonly Report[]): readonly Origin[] {
  const sum = (of: (report: Report) => number): number => sumOf(reports.map(of));
  return [
    {
      id: "ads",
      sales: sum((each) => each.salesThatChatHasAnuncioIdCount),
      salesAmount: sum((each) => each.salesThatChatHasAnuncioId),
      quotations: sum((each) => each.quotationsThatChatHasAnuncioIdCount),
      quotationsAmount: sum((each) => each.quotationsThatChatHasAnuncioId),
      fromPdf: sum((each) => each.quotationsThatChatHasAnuncioIdAndSourceIsPdfCount),
      fromMessage: sum((each) => each.quotationsThatChatHasAnuncioIdAndSourceIsMessageCount),
    },
    {
      id: "organic",
      sales: sum((each) => each.salesThatDoesntHaveAnuncioIdCount),
      salesAmount: sum((each) => each.salesThatDoesntHaveAnuncioId),
      quotations: sum((each) => each.quotationsThatDoesntHaveAnuncioIdCount),
      quotationsAmount: sum((each) => each.quotationsThatDoesntHaveAnuncioId),
      fromPdf: sum((each) => each.quotationsThatDoesntHaveAnuncioIdAndSourceIsPdfCount),
      fromMessage: sum((each) => each.quotationsThatDoesntHaveAnuncioIdAndSourceIsMessageCount),
    },
  ];
}

/** The sales and quotations of chats from ads, beside those of all other chats. */
function Origins({ view: { reports, currency } }: { readonly view: View }) {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  const rows = originsOf(reports);
  const amount = (value: number): string => formats.money(value, currency);
  const number = (id: Exclude<keyof Origin, "id">): Column<Origin> => ({
    id,
    title: t(`origin.${id}`),
    value: (row) => row[id],
    shown: (row) => (id.endsWith("Amount") ? amount(row[id]) : formats.count(row[id])),
  });
  const isMoney = currency !== null;
  return (
    <Part title={t("origin.title")} chart="third">
      <Chart
        label={t("chartOf", { name: t("origin.title"), part: t(isMoney ? "origin.inMoney" : "origin.inNumber") })}
        categories={rows.map(({ id }) => t(`origin.${id}`))}
        series={[
          { name: t("origin.sales"), values: rows.map((row) => (isMoney ? row.salesAmount : row.sales)) },
          {
            name: t("origin.quotations"),
            values: rows.map((row) => (isMoney ? row.quotationsAmount : row.quotations)),
          },
        ]}
        format={isMoney ? amount : formats.count}
        short={formats.short}
        isRanked
      />
      <div>
        <FiguresTable
          label={t("origin.title")}
          columns={[
            { id: "id", title: t("origin.column"), value: ({ id }) => t(`origin.${id}`) },
            number("sales"),
            ...(isMoney ? [number("salesAmount")] : []),
            number("quotations"),
            ...(isMoney ? [number("quotationsAmount")] : []),
            number("fromPdf"),
            number("fromMessage"),
          ]}
          rows={rows}
          keyOf={({ id }) => id}
        />
        <Text size="xs" c="dimmed" mt={6}>
          {t("origin.note")}
        </Text>
      </div>
    </Part>
  );
}

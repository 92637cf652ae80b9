import { Anchor } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Spender } from "./ad-campaigns.ts";
import { Chart } from "./chart.tsx";
import { type Column, FiguresTable, knownSort, sorted } from "./figures-table.tsx";
import { useFormats } from "./formats.ts";
import { Part } from "./part.tsx";
import styles from "./reports.module.css";
import { useReportSearch } from "./use-search.ts";

interface SpendersProps {
  readonly id: "campaigns" | "adSets" | "ads";
  readonly rows: readonly (Spender & { readonly adSet?: string })[];
  readonly empty: string;
  readonly onOpen?: (id: string) => void;
}

const barsAtMost = 10;

/** Two charts and a table. Spend and sales have their own charts, since money and counts have different scales. */
export function Spenders({ id, rows, empty, onOpen }: SpendersProps) {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  const { search, set } = useReportSearch();
  if (rows.length === 0) return <p className={styles.empty}>{empty}</p>;
  const currency = rows.find((row) => row.currency !== null)?.currency ?? null;
  const costOf = ({ spend, sales }: Spender): number | null => (sales === 0 ? null : spend / sales);
  const count = (name: "sales" | "quotations" | "conversations"): Column<Spender> => ({
    id: name,
    title: t(`column.${name}`),
    value: (row) => row[name],
    shown: (row) => formats.count(row[name]),
  });
  const columns: readonly Column<SpendersProps["rows"][number]>[] = [
    {
      id: "name",
      title: t(`part.${id}.name`),
      value: ({ name }) => name,
      shown: ({ id: each, name, status, adSet }) => (
        <>
          {onOpen ? (
            <Anchor component="button" type="button" className={styles.open} onClick={() => onOpen(each)}>
              {name}
            </Anchor>
          ) : (
            name
          )}
          {status !== null && <span className={styles.small}>{stateOf(status, t)}</span>}
          {adSet !== undefined && <span className={styles.small}>{adSet}</span>}
        </>
      ),
    },
    {
      id: "spend",
      title: t("column.spend"),
      value: ({ spend }) => spend,
      shown: ({ spend }) => formats.money(spend, currency),
    },
    count("sales"),
    {
      id: "costPerSale",
      title: t("column.costPerSale"),
      value: costOf,
      shown: (row) => formats.money(costOf(row), currency),
    },
    count("quotations"),
    count("conversations"),
  ];
  const sort = knownSort(columns, search.sort, "spend");
  const bars = sorted(rows, columns, "spend").slice(0, barsAtMost);
  const chart = (name: "spend" | "sales", format: (value: number) => string) => (
    <div>
      <p className={styles.caption}>{t(`column.${name}`)}</p>
      <Chart
        label={t("chartOf", { name: t(`column.${name}`), part: t(`part.${id}.title`) })}
        categories={bars.map((row) => row.name)}
        series={[{ name: t(`column.${name}`), values: bars.map((row) => row[name]) }]}
        format={format}
        short={formats.short}
        isRanked
      />
    </div>
  );
  return (
    <Part title={t(`part.${id}.title`)} chart="whole">
      <div className={styles.twins}>
        {chart("spend", (value) => formats.money(value, currency))}
        {chart("sales", formats.count)}
      </div>
      <FiguresTable
        label={t(`part.${id}.title`)}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.id}
        sorting={{ sort, onSort: (wanted) => set({ sort: wanted }) }}
      />
    </Part>
  );
}

type State = "ACTIVE" | "PAUSED" | "ARCHIVED" | "DELETED";
const states: readonly string[] = ["ACTIVE", "PAUSED", "ARCHIVED", "DELETED"] satisfies readonly State[];

/** States without a translation are shown as the platform names them. */
const stateOf = (status: string, t: ReturnType<typeof useTranslation<"reports">>["t"]): string =>
  states.includes(status) ? t(`adState.${status as State}`) : status;

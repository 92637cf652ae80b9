import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DayField } from "../shared/day-field.tsx";
import { Icon } from "../shared/icons.tsx";
import { useFormats } from "./formats.ts";
import { type Days, type Preset, presets } from "./periods.ts";
import styles from "./reports.module.css";
import { useDays, useReportSearch } from "./use-search.ts";

export function PeriodPicker() {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  const { search, set } = useReportSearch();
  const days = useDays();
  const isOwn = search.from !== undefined;
  const choose = (value: string | null): void => {
    if (value === "own") set({ period: undefined, ...days });
    else set({ period: (value ?? undefined) as Preset | undefined, from: undefined, to: undefined });
  };
  /** If the first day would be after the last day, both become the day that the user chose. */
  const setDays = (changes: Partial<Days>): void => {
    const { from, to } = { ...days, ...changes };
    if (from <= to) set({ period: undefined, from, to });
    else set({ period: undefined, from: changes.from ?? to, to: changes.from ?? to });
  };
  return (
    <>
      <Select
        aria-label={t("period.label")}
        data={[
          ...presets.map((value) => ({ value: value as string, label: t(`period.${value}`) })),
          { value: "own", label: t("period.own") },
        ]}
        value={isOwn ? "own" : (search.period ?? "days30")}
        onChange={choose}
        allowDeselect={false}
        leftSection={<Icon name="clock" size={16} />}
        className={styles.filter}
      />
      {isOwn ? (
        <>
          <DayField
            required
            aria-label={t("period.from")}
            day={days.from}
            onDay={(from) => setDays({ from })}
            className={styles.day}
          />
          <DayField
            required
            aria-label={t("period.to")}
            day={days.to}
            onDay={(to) => setDays({ to })}
            className={styles.day}
          />
        </>
      ) : (
        <span className={styles.range}>{formats.range(days.from, days.to)}</span>
      )}
    </>
  );
}

import "./day-texts.ts";
import "dayjs/locale/es";
import "dayjs/locale/pt";
import { DateInput, type DateInputProps } from "@mantine/dates";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./day-field.module.css";
import { isDay } from "./search-params.ts";
import { TimeField } from "./time-field.tsx";

type Shown = Pick<DateInputProps, "label" | "aria-label" | "description" | "required" | "className">;

interface DayFieldProps extends Shown {
  /** `2026-01-31`; empty if no day is chosen. */
  readonly day: string;
  readonly onDay: (day: string) => void;
}

const formats: Readonly<Record<string, string>> = { en: "MM/DD/YYYY" };
const usual = "DD/MM/YYYY";

/** A date field in the format of the console's language. A browser's own field uses the browser's language. */
export function DayField({ day, onDay, required = false, ...shown }: DayFieldProps) {
  const { t, i18n } = useTranslation("day");
  const [isOpen, setOpen] = useState(false);
  const format = formats[i18n.language] ?? usual;
  return (
    <DateInput
      {...shown}
      required={required}
      allowDeselect={!required}
      locale={i18n.language}
      valueFormat={format}
      dateParser={(text) => dayOf(text, format)}
      placeholder={t("format")}
      value={day || null}
      onChange={(chosen) => onDay(chosen ?? "")}
      // By default, weekends are red. But in the console, red marks errors only.
      weekendDays={[]}
      hideOutsideDates
      ariaLabels={t("level", { returnObjects: true })}
      popoverProps={{ shadow: "md", onOpen: () => setOpen(true), onClose: () => setOpen(false) }}
      // The first Escape closes the calendar, and not the dialog below it.
      data-mantine-stop-propagation={isOpen || undefined}
    />
  );
}

/** Returns null for a half-typed year: 202 is already a number, but not the year that the user means. */
function dayOf(text: string, format: string): string | null {
  const [first = "", second = "", third = ""] = text.trim().split(/\D+/);
  const parts = format === usual ? [third, second, first] : [third, first, second];
  // Days that were copied from elsewhere are often written with the year first.
  const [year, month, date] = first.length === 4 ? [first, second, third] : parts;
  const day = [year, month?.padStart(2, "0"), date?.padStart(2, "0")].join("-");
  return isDay(day) ? day : null;
}

interface MomentFieldProps extends Omit<Shown, "className" | "required"> {
  /** `2026-01-31T09:30`; empty if no time is chosen. */
  readonly moment: string;
  readonly onMoment: (moment: string) => void;
}

/** The time that is set when the user chooses only a day. */
const morning = "09:00";

export function MomentField({ moment, onMoment, ...shown }: MomentFieldProps) {
  const { t } = useTranslation("day");
  const [day = "", time = ""] = moment.split("T");
  return (
    <div className={styles.moment}>
      <DayField
        {...shown}
        day={day}
        onDay={(chosen) => onMoment(chosen === "" ? "" : `${chosen}T${time || morning}`)}
      />
      <TimeField
        label={t("time")}
        disabled={day === ""}
        time={time}
        onTime={(chosen) => onMoment(`${day}T${chosen}`)}
      />
    </div>
  );
}

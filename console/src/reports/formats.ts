import { useMemo } from "react";
import { useTranslation } from "react-i18next";

export interface Formats {
  count(value: number): string;
  /** Returns a dash if the amount or the currency is null. */
  money(amount: number | null, currency: string | null): string;
  /** For chart axes: `12 mil`. */
  short(value: number): string;
  percent(value: number): string;
  /** Formats a day that is given as `2026-11-21`. */
  day(day: string): string;
  month(day: string): string;
  range(from: string, to: string): string;
}

export const nothing = "–";

/** Days have no time zone and are not converted. */
export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return useMemo(() => {
    const language = i18n.language;
    const count = new Intl.NumberFormat(language, { useGrouping: "always" });
    const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
    const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 });
    const day = new Intl.DateTimeFormat(language, { timeZone: "UTC", day: "numeric", month: "short" });
    const month = new Intl.DateTimeFormat(language, { timeZone: "UTC", month: "short", year: "numeric" });
    const range = new Intl.DateTimeFormat(language, {
      timeZone: "UTC",
      day: "numeric",
      month: "short",
      year: "numeric",
    });
    const money = new Map<string, Intl.NumberFormat>();
    const moneyIn = (currency: string): Intl.NumberFormat => {
      const known =
        money.get(currency) ?? new Intl.NumberFormat(language, { style: "currency", currency, useGrouping: "always" });
      money.set(currency, known);
      return known;
    };
    const dateOf = (text: string): Date => new Date(`${text}T00:00:00Z`);
    return {
      count: (value) => count.format(value),
      money: (amount, currency) => (amount === null || currency === null ? nothing : moneyIn(currency).format(amount)),
      short: (value) => short.format(value),
      percent: (value) => percent.format(value / 100),
      day: (text) => day.format(dateOf(text)),
      month: (text) => month.format(dateOf(text)),
      range: (from, to) => range.formatRange(dateOf(from), dateOf(to)),
    };
  }, [i18n.language]);
}

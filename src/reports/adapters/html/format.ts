import { dayOf } from "../../../kernel/instants.ts";
import { decimalOf, type Money } from "../../../kernel/money.ts";
import type { Period } from "../../domain/report.ts";

const locale = "es-BO";
const grouped = { useGrouping: "always" } as const;
const counts = new Intl.NumberFormat(locale, grouped);
const percents = new Intl.NumberFormat(locale, { ...grouped, maximumFractionDigits: 2 });
const tenths = new Intl.NumberFormat(locale, { ...grouped, maximumFractionDigits: 1 });

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for elements and quoted attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");

export const count = (value: number): string => counts.format(value);
export const percent = (value: number): string => `${percents.format(value)} %`;
export const decimal = (value: number): string => percents.format(value);
/** Short numbers for axes. */
export function short(value: number): string {
  if (value < 100_000) return counts.format(value);
  return value < 1_000_000 ? `${tenths.format(value / 1_000)} mil` : `${tenths.format(value / 1_000_000)} M`;
}

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** An exact amount. `currency` is an ISO code. */
export const money = (amount: Money, currency: string): string => moneyText(decimalOf(amount), currency);

export const moneyTotal = (amounts: readonly Money[], currency: string): string =>
  money(
    amounts.reduce((sum, amount) => sum + amount, 0n),
    currency,
  );

/** An amount from the ad platform, with the platform's name of the currency. */
export const foreignMoney = (amount: number, currency: string | null): string =>
  moneyText(String(amount), currency ?? "");

function moneyText(amount: string, currency: string): string {
  // A decimal text is formatted digit by digit, so that large amounts stay exact.
  const written = amount as Intl.StringNumericLiteral;
  if (!/^[A-Z]{3}$/.test(currency)) return `${percents.format(written)} ${currency}`.trim();
  let format = moneyFormats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(locale, { ...grouped, style: "currency", currency });
    if (moneyFormats.size < 1_000) moneyFormats.set(currency, format);
  }
  return format.format(written);
}

/** `2 de marzo de 2026`. */
const longDate = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone }).format(at);

/** Two dates if the period has only whole days, otherwise two dates with times. If it is empty, both are the same. */
export function period({ from, until }: Period, timeZone: string): string {
  const isEmpty = until <= from;
  const areDays = !isEmpty && [from, until].every((at) => dayOf(before(at), timeZone) !== dayOf(at, timeZone));
  return [from, isEmpty ? from : before(until)].map((at) => (areDays ? longDate : moment)(at, timeZone)).join(" al ");
}

const before = (at: Date): Date => new Date(at.getTime() - 1);

export const moment = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone }).format(at);

const months = "ene feb mar abr may jun jul ago sep oct nov dic".split(" ");

/** `2026-03-01` as "1 mar". */
export const shortDay = (day: string): string => `${Number(day.slice(8, 10))} ${monthOf(day)}`;

/** `2026-03-01` as "mar 2026". */
export const shortMonth = (day: string): string => `${monthOf(day)} ${day.slice(0, 4)}`;

const monthOf = (day: string): string => months[Number(day.slice(5, 7)) - 1] ?? "";

import { baseCurrency, isCurrency } from "../../kernel/currency.ts";
import { instantOf } from "../../kernel/instants.ts";
import type { Money } from "../../kernel/money.ts";

/** The stored feature flags `currency` and `currency_conversion` of a business. */
export interface CurrencyFlags {
  readonly currency: unknown;
  /**
   * `{"USD": 6.96}` means that one dollar is always worth 6.96 in the base currency. In a list `[{"from": "2026-01-01",
   * "USD": 6.96}, ...]`, a rate applies from its day until a later entry has a rate for the same currency. Rates are
   * numbers or decimal strings above 0.
   */
  readonly conversion: unknown;
}

/** A positive decimal without exponent. */
export type Rate = string;

/** The largest amount in the base currency that the database can store, in hundredths. */
export const largestAmount: Money = 10n ** 14n - 1n;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of one unit of `currency` in the base currency on `day` (`2026-03-01`); null if there is no rate. */
export function rateOf({ currency: base, conversion }: CurrencyFlags, currency: string, day: string): Rate | null {
  if (currency === baseCurrency(base)) return "1";
  if (!Array.isArray(conversion)) return isRecord(conversion) ? rateIn(conversion, currency) : null;
  let found: { readonly from: string; readonly rate: Rate } | null = null;
  for (const entry of conversion as readonly unknown[]) {
    if (!isRecord(entry)) continue;
    const rate = rateIn(entry, currency);
    if (rate === null || !isDay(entry.from) || entry.from > day) continue;
    if (found === null || entry.from >= found.from) found = { from: entry.from, rate };
  }
  return found?.rate ?? null;
}

/** Whether all currencies, rates and days of a conversion are valid. */
export function isConversion(conversion: unknown): boolean {
  if (!Array.isArray(conversion)) return isRecord(conversion) && areRates(conversion);
  return conversion.every((entry: unknown) => {
    if (!isRecord(entry)) return false;
    const { from, ...rates } = entry;
    return isDay(from) && areRates(rates);
  });
}

const areRates = (rates: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(rates).every((currency) => isCurrency(currency) && rateIn(rates, currency) !== null);

function rateIn(rates: Readonly<Record<string, unknown>>, currency: string): Rate | null {
  const value = Object.hasOwn(rates, currency) ? rates[currency] : undefined;
  const text = typeof value === "number" ? String(value) : value;
  const isRate = typeof text === "string" && /^\d{1,9}(\.\d{1,12})?$/.test(text) && /[1-9]/.test(text);
  return isRate ? text : null;
}

/** Whether the day exists. */
const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && instantOf(`${value}T00:00Z`, "UTC") !== null;

/** Multiplies exactly and rounds the product to hundredths, half a hundredth upwards. */
export function convert(amount: Money, rate: Rate): Money {
  const [units = "0", fraction = ""] = rate.split(".");
  const scale = 10n ** BigInt(fraction.length);
  return (amount * BigInt(units + fraction) + scale / 2n) / scale;
}

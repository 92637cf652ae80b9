const defaultCurrency = "BOB";

/** An ISO 4217 code, by its form. */
export const isCurrency = (value: unknown): value is string => typeof value === "string" && /^[A-Z]{3}$/.test(value);

/** The currency in which a business counts, by its feature flag `currency`. */
export const baseCurrency = (flag: unknown): string => (isCurrency(flag) ? flag : defaultCurrency);

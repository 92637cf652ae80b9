const defaultCurrency = "BOB";

/** Checks only the form of an ISO 4217 code. */
export const isCurrency = (value: unknown): value is string => typeof value === "string" && /^[A-Z]{3}$/.test(value);

/** The currency of a business, from its feature flag `currency`. */
export const baseCurrency = (flag: unknown): string => (isCurrency(flag) ? flag : defaultCurrency);

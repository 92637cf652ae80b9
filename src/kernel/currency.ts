const defaultCurrency = "BOB";

/** Checks only the form of an ISO 4217 code. */
export const isCurrency = (value: unknown): value is string => typeof value === "string" && /^[A-Z]{3}$/.test(value);

const known: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Whether Node.js lists the code. Its list has some former currencies, and lacks rare codes of ISO 4217. */
export const isKnownCurrency = (code: string): boolean => known.has(code);

/** The currency of a business: its feature flag `currency`, or the default if the flag is not a currency code. */
export const baseCurrency = (flag: unknown): string => (isCurrency(flag) ? flag : defaultCurrency);

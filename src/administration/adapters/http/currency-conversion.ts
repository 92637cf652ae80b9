import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import type { Schema } from "../../../infra/http/routing/schema.ts";
import { isConversion } from "../../../reports/public.ts";
import type { FieldOnWire } from "./record-on-wire.ts";

export const currencyCode = "^[A-Z]{3}$";

const name = "currency_conversion";
const rate: Schema = {
  anyOf: [
    { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1e9 },
    { type: "string", pattern: String.raw`^\d{1,9}(\.\d{1,12})?$` },
  ],
  example: 6.96,
};
const rates: Schema = {
  type: "object",
  maxProperties: 200,
  propertyNames: { pattern: currencyCode },
  additionalProperties: rate,
};
const datedRates: Schema = {
  type: "array",
  maxItems: 1_000,
  items: {
    type: "object",
    required: ["from"],
    properties: { from: { type: "string", pattern: String.raw`^\d{4}-\d{2}-\d{2}$` } },
    additionalProperties: rate,
  },
};

/** Rates of other currencies for reports. A value that reports could not use is refused. */
export const currencyConversion: FieldOnWire<object | null> = {
  name,
  schema: { anyOf: [rates, datedRates, { type: "null" }] },
  fallback: null,
  read: (input: object | null) => {
    if (input !== null && !isConversion(input)) throw new InvalidInput(`${name} tiene una tasa o una fecha no válida`);
    return input;
  },
};

/** The codes of the currencies that have rates; some may repeat. */
export const currenciesIn = (conversion: object | null | undefined): string[] =>
  [conversion ?? {}].flat().flatMap((rates: object | null) => Object.keys(rates ?? {}).filter((key) => key !== "from"));

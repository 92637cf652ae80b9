import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import type { Schema } from "../../../infra/http/routing/schema.ts";
import { isKnownCurrency } from "../../../kernel/currency.ts";
import { currenciesIn, currencyCode, currencyConversion } from "../../adapters/http/currency-conversion.ts";
import { optionalText, optionalUrl } from "../../adapters/http/fields.ts";
import type { FieldOnWire, RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { isLanguage } from "../../domain/template-rules.ts";
import { timezone } from "../business/http.ts";
import type { Flags } from "./record.ts";

const flag = <Value>(name: string, schema: Schema): FieldOnWire<Value | null> => ({
  name,
  schema: { anyOf: [schema, { type: "null" }] },
  fallback: null,
});
const readOnly = <Value>(name: string, schema: Schema): FieldOnWire<Value | null> => ({
  ...flag<Value>(name, schema),
  readOnly: true,
});
const oneOf = (...values: readonly string[]): Schema => ({ type: "string", enum: values });
const whole = (minimum: number, maximum: number): Schema => ({ type: "integer", minimum, maximum });

export const flagsOnWire: RecordOnWire<Flags> = {
  path: "flags",
  entity: "business",
  one: "Flags",
  many: "Flags",
  closed: true,
  fields: {
    timezone: { ...flag<string>("timezone", timezone.schema), read: (input: never) => input && timezone.read?.(input) },
    currency: flag("currency", { type: "string", pattern: currencyCode }),
    currency_conversion: currencyConversion,
    reports_for: flag("reports_for", oneOf("all", "administrators")),
    agents_see: flag("agents_see", oneOf("own", "department", "all")),
    ad_account_for_report: optionalText("ad_account_for_report", 100),
    bot_inactivity_minutes: flag("bot_inactivity_minutes", whole(1, 100_000_000)),
    monthly_template_limit: flag("monthly_template_limit", whole(0, 1_000_000_000)),
    template_language: optionalText("template_language", 15),
    tax_id_label: optionalText("tax_id_label", 50),
    "payments-url": optionalUrl("payments-url"),
    group_shared_report: readOnly("group_shared_report", { type: "array", items: { type: "integer" } }),
    media_quota_bytes: readOnly("media_quota_bytes", { type: "integer" }),
  },
  verifiedByPlatform: true,
  rules: [
    "A flag that is null or left out has its default value.",
    "`currency` is a code of ISO 4217: `BOB`, `USD`.",
    "`currency_conversion` has rates above 0, as numbers or decimal texts of up to 9 digits and 12 decimals. They are either one " +
      "object for all days, or a list of objects with the day `from` which each applies. Other values are refused, and so are " +
      "codes that are not of ISO 4217.",
    "`ad_account_for_report` must be one of the accounts of the business's token (`/admin/ad-accounts`). The ad platform is asked " +
      "when the value changes: an unknown account is a 400 that names the field. If the platform does not answer, the answer is " +
      "502 `platform_unavailable`, and nothing is changed.",
    "`template_language` is written as in templates: `es`, `pt_BR`.",
    "`group_shared_report` and `media_quota_bytes` are read-only: the first shows figures of other businesses, the second uses " +
      "the installation's storage. An operator sets them with `make operator-flag`.",
  ],
};

/** Throws `InvalidInput` with a message for the caller. Unchanged values are not checked again. */
export function checkFlags(flags: Flags, before: Flags | null): void {
  const { currency, template_language: language } = flags;
  if (currency !== null && currency !== before?.currency && !isKnownCurrency(currency)) {
    throw new InvalidInput("currency no es una moneda de ISO 4217, como BOB o USD");
  }
  const had = new Set(currenciesIn(before?.currency_conversion));
  if (currenciesIn(flags.currency_conversion).some((code) => !had.has(code) && !isKnownCurrency(code))) {
    throw new InvalidInput("currency_conversion tiene una moneda que no es de ISO 4217, como BOB o USD");
  }
  if (language === null || language === before?.template_language || isLanguage(language)) return;
  throw new InvalidInput("template_language no es un idioma de plantillas, como es o pt_BR");
}

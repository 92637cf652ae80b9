import type { Schema } from "../../../infra/http/routing/schema.ts";
import { optionalText, optionalUrl } from "../../adapters/http/fields.ts";
import type { FieldOnWire, RecordOnWire } from "../../adapters/http/record-on-wire.ts";
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
const currency = "^[A-Z]{3}$";
const rate: Schema = { type: "number", exclusiveMinimum: 0, maximum: 1e9 };
const rates: Schema = {
  type: "object",
  maxProperties: 200,
  propertyNames: { pattern: currency },
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

export const flagsOnWire: RecordOnWire<Flags> = {
  path: "flags",
  entity: "business",
  one: "Flags",
  many: "Flags",
  closed: true,
  fields: {
    timezone: { ...flag<string>("timezone", timezone.schema), read: (given: never) => given && timezone.read?.(given) },
    currency: flag("currency", { type: "string", pattern: currency }),
    currency_conversion: flag("currency_conversion", { anyOf: [rates, datedRates] }),
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
  rules: [
    "A flag that is null or left out says nothing: its default holds.",
    "`group_shared_report` and `media_quota_bytes` are only read: the one shows figures of other businesses, the other takes " +
      "room of the installation, so that an operator decides on them.",
  ],
};

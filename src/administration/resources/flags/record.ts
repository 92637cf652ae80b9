import type { OperatorFlags } from "../../domain/operator-flags.ts";

/** A business's feature flags by their names. Null means that the default applies. */
export interface Flags extends OperatorFlags {
  readonly timezone: string | null;
  readonly currency: string | null;
  readonly currency_conversion: object | null;
  readonly reports_for: "all" | "administrators" | null;
  readonly agents_see: "own" | "department" | "all" | null;
  readonly ad_account_for_report: string | null;
  readonly bot_inactivity_minutes: number | null;
  readonly monthly_template_limit: number | null;
  readonly template_language: string | null;
  readonly tax_id_label: string | null;
  readonly "payments-url": string | null;
}

import { NumberInput, Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { paths } from "../shared/api.ts";
import type { Conversion } from "./rates.ts";
import { RatesField } from "./rates-field.tsx";

export type Stored = paths["/admin/flags"]["get"]["responses"][200]["content"]["application/json"];
export type Fields = Omit<Stored, "id" | "version">;

export const groups = {
  team: ["agents_see", "reports_for"],
  money: ["currency", "currency_conversion", "tax_id_label", "payments-url", "ad_account_for_report"],
  sending: ["bot_inactivity_minutes", "monthly_template_limit", "template_language"],
} as const satisfies Readonly<Record<string, readonly (keyof Fields)[]>>;

export type Changeable = (typeof groups)[keyof typeof groups][number];

interface ControlProps {
  readonly name: Changeable;
  readonly fields: Fields;
  readonly set: (change: Partial<Fields>) => void;
}

const longest = { tax_id_label: 50, "payments-url": 2_000, template_language: 15, ad_account_for_report: 100 } as const;
const ranges = { bot_inactivity_minutes: [1, 100_000_000], monthly_template_limit: [0, 1_000_000_000] } as const;

export function FlagControl({ name, fields, set }: ControlProps) {
  const { t } = useTranslation("people");
  const told = { "aria-label": t(`flags.${name}.title`), "aria-describedby": `about-${name}` };
  switch (name) {
    case "agents_see":
    case "reports_for": {
      const data =
        name === "agents_see"
          ? (["own", "department", "all"] as const).map((value) => ({ value, label: t(`flags.see.${value}`) }))
          : (["all", "administrators"] as const).map((value) => ({ value, label: t(`flags.reports.${value}`) }));
      return (
        <Select
          {...told}
          clearable
          placeholder={t(`flags.otherwise.${name}`)}
          data={data as { value: string; label: string }[]}
          value={fields[name]}
          onChange={(value) => set({ [name]: value } as Partial<Fields>)}
        />
      );
    }
    case "currency":
      return (
        <Select
          {...told}
          clearable
          searchable
          limit={100}
          placeholder={t(`flags.otherwise.${name}`)}
          data={[...new Set([...(fields.currency ? [fields.currency] : []), ...Intl.supportedValuesOf("currency")])]}
          value={fields.currency}
          onChange={(currency) => set({ currency })}
        />
      );
    case "currency_conversion":
      return (
        <RatesField
          value={fields.currency_conversion as Conversion | null}
          onChange={(value) => set({ currency_conversion: value as Fields["currency_conversion"] })}
        />
      );
    case "bot_inactivity_minutes":
    case "monthly_template_limit": {
      const [min, max] = ranges[name];
      return (
        <NumberInput
          {...told}
          hideControls
          allowDecimal={false}
          min={min}
          max={max}
          placeholder={t(`flags.otherwise.${name}`)}
          value={fields[name] ?? ""}
          onChange={(value) => set({ [name]: value === "" ? null : Number(value) })}
        />
      );
    }
    default:
      return (
        <TextInput
          {...told}
          maxLength={longest[name]}
          placeholder={t(`flags.otherwise.${name}`)}
          value={fields[name] ?? ""}
          onChange={(event) =>
            set({ [name]: event.currentTarget.value.trim() === "" ? null : event.currentTarget.value })
          }
        />
      );
  }
}

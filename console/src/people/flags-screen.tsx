import "./texts.ts";
import { Button, Group, NumberInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, Loading, Page } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import settings from "../settings/settings.module.css";
import { answered, api, type paths } from "../shared/api.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { type Read, useRecordForm } from "../shared/record-form.ts";
import styles from "./business.module.css";
import type { Conversion } from "./rates.ts";
import { RatesField } from "./rates-field.tsx";

type Stored = paths["/admin/flags"]["get"]["responses"][200]["content"]["application/json"];
type Fields = Omit<Stored, "id" | "version">;
type Name = keyof Fields;

const readFlags = () => answered(api.GET("/admin/flags"));

/** All that the service sends goes back to it, so that a flag that this page does not know stays as it is. */
const readOf = ({ id: _, version, ...fields }: Stored): Read<Fields> => ({ fields, version });

export function FlagsScreen() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["admin", "flags"],
    queryFn: readFlags,
    // A form starts from what is stored now.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Page place="flags">
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && <FlagsForm start={readOf(data)} />}
    </Page>
  );
}

const groups = {
  team: ["agents_see", "reports_for"],
  money: ["currency", "currency_conversion", "tax_id_label", "payments-url", "ad_account_for_report"],
  sending: ["bot_inactivity_minutes", "monthly_template_limit", "template_language"],
} as const satisfies Readonly<Record<string, readonly Name[]>>;

const ofOperator = ["media_quota_bytes", "group_shared_report"] as const;
/** The zone is changed on the page of the business. */
const elsewhere: readonly string[] = ["timezone"];
const known: readonly string[] = [...Object.values(groups).flat(), ...ofOperator, ...elsewhere];

type Known = (typeof groups)[keyof typeof groups][number] | (typeof ofOperator)[number];

function FlagsForm({ start }: { readonly start: Read<Fields> }) {
  const { t } = useTranslation("people");
  const [isSaved, setSaved] = useState(false);
  const form = useRecordForm<Fields, Stored>(start, {
    save: (body, header) => answered(api.PUT("/admin/flags", { params: { header }, body })),
    readAgain: async () => readOf(await readFlags()),
    onSaved: (saved) => {
      form.reset(readOf(saved));
      setSaved(true);
      void queryClient.invalidateQueries({ queryKey: meKey });
    },
  });
  const set = (change: Partial<Fields>) => {
    setSaved(false);
    form.set(change);
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  const titleOf = (name: Name): string => (name === "timezone" ? name : t(`flags.${name}.title`));
  const others = Object.entries(form.fields).filter(([name]) => !known.includes(name));
  return (
    <form onSubmit={send} className={styles.flags}>
      <MovedOn clashes={form.clashes?.map(titleOf) ?? null} />
      {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => (
        <section key={group} aria-labelledby={group}>
          <h2 id={group}>{t(`flags.groups.${group}`)}</h2>
          <div className={settings.list}>
            {groups[group].map((name) => (
              <FlagRow key={name} name={name} isWide={name === "currency_conversion"}>
                <Control key={`${name} ${form.round}`} name={name} fields={form.fields} set={set} />
              </FlagRow>
            ))}
          </div>
        </section>
      ))}
      <section aria-labelledby="operator">
        <h2 id="operator">{t("flags.groups.operator")}</h2>
        <div className={settings.list}>
          {ofOperator.map((name) => (
            <FlagRow key={name} name={name}>
              <Told value={name === "media_quota_bytes" ? inMegabytes(form.fields[name]) : form.fields[name]} />
            </FlagRow>
          ))}
          {others.map(([name, value]) => (
            <div key={name} className={styles.flag}>
              <div>
                <p className={settings.name}>{name}</p>
                <p className={settings.detail}>{t("flags.unknown")}</p>
              </div>
              <Told value={value} />
            </div>
          ))}
        </div>
      </section>
      <Failure error={form.error} />
      <Group justify="flex-end" className={styles.foot}>
        {isSaved && !form.isChanged && <span role="status">{t("saved")}</span>}
        <Button type="submit" loading={form.isSaving} disabled={!form.isChanged}>
          {t("save")}
        </Button>
      </Group>
    </form>
  );
}

const inMegabytes = (bytes: number | null): string | null =>
  bytes === null ? null : `${Math.round(bytes / 1e6).toLocaleString()} MB`;

function Told({ value }: { readonly value: unknown }) {
  const { t } = useTranslation("people");
  const words = typeof value === "object" ? JSON.stringify(value) : String(value);
  return <p className={settings.detail}>{value === null ? t("flags.none") : words}</p>;
}

interface RowProps {
  readonly name: Known;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

function FlagRow({ name, isWide = false, children }: RowProps) {
  const { t } = useTranslation("people");
  return (
    <div className={isWide ? `${styles.flag} ${styles.wide}` : styles.flag}>
      <div>
        <p className={settings.name}>{t(`flags.${name}.title`)}</p>
        <p className={settings.detail} id={`about-${name}`}>
          {t(`flags.${name}.text`)}
        </p>
      </div>
      {children}
    </div>
  );
}

interface ControlProps {
  readonly name: (typeof groups)[keyof typeof groups][number];
  readonly fields: Fields;
  readonly set: (change: Partial<Fields>) => void;
}

const longest = { tax_id_label: 50, "payments-url": 2_000, template_language: 15, ad_account_for_report: 100 } as const;
const ranges = { bot_inactivity_minutes: [1, 100_000_000], monthly_template_limit: [0, 1_000_000_000] } as const;

function Control({ name, fields, set }: ControlProps) {
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

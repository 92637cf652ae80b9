import "./texts.ts";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { MovedOn } from "../settings/record-notice.tsx";
import settings from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import type { IfMatch } from "../shared/record-form.ts";
import styles from "./business.module.css";
import { type Changeable, type Fields, FlagControl, groups, type Stored } from "./flag-control.tsx";
import { SaveFoot, type SingleForm, SingleRecordPage } from "./single-record.tsx";

const source = {
  place: "flags",
  read: () => answered(api.GET("/admin/flags")),
  save: (body: Fields, header: IfMatch) => answered(api.PUT("/admin/flags", { params: { header }, body })),
  /** All stored flags are sent back, so that unknown flags do not change. */
  readOf: ({ id: _, version, ...fields }: Stored) => ({ fields: fields as Fields, version }),
} as const;

export const FlagsScreen = () => <SingleRecordPage source={source} form={FlagsForm} />;

const ofOperator = ["media_quota_bytes", "group_shared_report"] as const;
/** Flags with a control on another page. */
const elsewhere: readonly string[] = ["timezone"];
const known: readonly string[] = [...Object.values(groups).flat(), ...ofOperator, ...elsewhere];

type Known = Changeable | (typeof ofOperator)[number];

function FlagsForm({ form }: { readonly form: SingleForm<Fields> }) {
  const { t, i18n } = useTranslation("people");
  const inMegabytes = (bytes: number | null): string | null =>
    bytes === null ? null : `${Math.round(bytes / 1e6).toLocaleString(i18n.language)} MB`;
  const titleOf = (name: keyof Fields): string => (name === "timezone" ? name : t(`flags.${name}.title`));
  const others = Object.entries(form.fields).filter(([name]) => !known.includes(name));
  return (
    <form onSubmit={form.submit} className={styles.flags}>
      <MovedOn clashes={form.clashes?.map(titleOf) ?? null} />
      {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => (
        <section key={group} aria-labelledby={group}>
          <h2 id={group}>{t(`flags.groups.${group}`)}</h2>
          <div className={settings.list}>
            {groups[group].map((name) => (
              <FlagRow key={name} name={name} isWide={name === "currency_conversion"}>
                <FlagControl key={`${name} ${form.round}`} name={name} fields={form.fields} set={form.set} />
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
      <SaveFoot form={form} className={styles.foot} />
    </form>
  );
}

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

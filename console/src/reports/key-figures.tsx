import { useTranslation } from "react-i18next";
import { type Formats, useFormats } from "./formats.ts";
import styles from "./reports.module.css";
import type { Figures, Reports, View } from "./reports.ts";

const names = [
  "salesAmount",
  "quotationsAmount",
  "conversaciones",
  "salesConversionRate",
  "qoutationToSalesConversionRate",
] as const;
type Name = (typeof names)[number];

/** Replaced by spaces, so that a line may break between an amount and its currency. */
const noBreak = /\u00a0/g;

export function KeyFigures({ view, before }: { readonly view: View; readonly before: Reports["anterior"] }) {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  return (
    <section aria-label={t("figures.label")}>
      <dl className={styles.tiles}>
        {names.map((name) => (
          <Tile key={name} name={name} view={view} />
        ))}
      </dl>
      {before && view.before && (
        <p className={styles.compared}>{t("compared", { range: formats.range(before.desde, before.hasta) })}</p>
      )}
    </section>
  );
}

function Tile({ name, view }: { readonly name: Name; readonly view: View }) {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  const { figures, before, currency } = view;
  const value = figures[name];
  const lead = leadOf(name, figures, formats);
  return (
    <div className={styles.tile}>
      <dt>{t(`figures.${name}`)}</dt>
      <dd>
        <span className={styles.value}>{written(name, value, currency, formats).replace(noBreak, " ")}</span>
        {lead && <span className={styles.lead}>{t(`figures.of.${name}`, lead)}</span>}
        {before && <Change name={name} now={value} then={before[name]} currency={currency} />}
      </dd>
    </div>
  );
}

/** The values for the small text below a figure; null for no text. */
function leadOf(name: Name, figures: Figures, { count, percent }: Formats): Record<string, string | number> | null {
  switch (name) {
    case "salesAmount":
      return { count: figures.salesCount === 1 ? 1 : 2, shown: count(figures.salesCount) };
    case "quotationsAmount":
      return { count: figures.quotationsCount === 1 ? 1 : 2, shown: count(figures.quotationsCount) };
    case "conversaciones":
      return figures.averageTemperature === null || figures.averageAgentTemperature === null
        ? null
        : { count: 2, ai: count(figures.averageTemperature), agent: count(figures.averageAgentTemperature) };
    case "salesConversionRate":
      return { count: 2, shown: percent(figures.qoutationConversionRate) };
    default:
      return { count: 2, shown: "" };
  }
}

function written(name: Name, value: number | null, currency: string | null, formats: Formats): string {
  if (value === null) return formats.money(null, null);
  if (name.endsWith("Amount")) return formats.money(value, currency);
  return name.endsWith("Rate") ? formats.percent(value) : formats.count(value);
}

interface ChangeProps {
  readonly name: Name;
  readonly now: number | null;
  readonly then: number | null;
  readonly currency: string | null;
}

/** The change since the previous period. It is shown in small type, since that period may have been unusual. */
function Change({ name, now, then, currency }: ChangeProps) {
  const { t } = useTranslation("reports");
  const formats = useFormats();
  if (now === null || then === null) return null;
  const title = t("before", { figure: written(name, then, currency, formats) });
  if (now === then) return <span className={styles.change}>{t("same")}</span>;
  const share = then === 0 ? null : Math.round(((now - then) / then) * 1_000) / 10;
  return (
    <span className={styles.change} title={title}>
      <span aria-hidden="true" data-up={now > then}>
        {now > then ? "▲" : "▼"}
      </span>{" "}
      {share === null ? title : t(now > then ? "more" : "less", { share: formats.percent(Math.abs(share)) })}
    </span>
  );
}

import { useTranslation } from "react-i18next";
import styles from "./campaigns.module.css";
import { type Campaign, doneOf, recipientStates } from "./campaigns.ts";

/** A bar with the shares of recipients by state. Screen readers read out the numbers. */
export function Progress({ campaign, isLarge = false }: { readonly campaign: Campaign; readonly isLarge?: boolean }) {
  const { t } = useTranslation("campaigns");
  const { counts, total } = campaign;
  const shown = recipientStates.filter((state) => counts[state] > 0 && state !== "queued");
  const text = recipientStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${t(`recipient.${state}`)}: ${counts[state]}`)
    .join(", ");
  return (
    <div
      role="progressbar"
      aria-label={t("progressOf", { name: campaign.nombre })}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={doneOf(campaign)}
      aria-valuetext={text}
      className={styles.bar}
      data-large={isLarge}
    >
      {shown.map((state) => (
        <span key={state} data-state={state} style={{ width: `${(counts[state] / Math.max(1, total)) * 100}%` }} />
      ))}
    </div>
  );
}

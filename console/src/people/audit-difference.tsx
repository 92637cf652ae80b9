import { useTranslation } from "react-i18next";
import settings from "../settings/settings.module.css";
import styles from "./audit.module.css";

/** The record before or after a change; null if the record did not exist then. */
export type Kept = Readonly<Record<string, unknown>> | null;

export function Difference({ before, after }: { readonly before: Kept; readonly after: Kept }) {
  const { t } = useTranslation("people");
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => name !== "version" && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  if (names.length === 0) return <p className={settings.detail}>{t("audit.noDetails")}</p>;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t("audit.field")}</th>
          <th scope="col">{t("audit.before")}</th>
          <th scope="col">{t("audit.after")}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className={styles.before}>
              <Value value={before?.[name]} />
            </td>
            <td className={styles.after}>
              <Value value={after?.[name]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value }: { readonly value: unknown }) {
  const { t } = useTranslation("people");
  if (value === null || value === undefined || value === "") return t("audit.nothing");
  if (typeof value === "boolean") return t(value ? "audit.yes" : "audit.no");
  if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
    return value.join(", ") || t("audit.nothing");
  return typeof value === "object" ? <code>{JSON.stringify(value, null, 1)}</code> : String(value);
}

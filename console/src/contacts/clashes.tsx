import { Alert, Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "./contact.module.css";
import type { Clash } from "./merge.ts";

interface ClashesProps {
  readonly clashes: readonly Clash[];
  readonly onTake: (clash: Clash) => void;
}

/** Shows fields that this user and another one changed at the same time. */
export function Clashes({ clashes, onTake }: ClashesProps) {
  const { t } = useTranslation("contacts");
  const labelOf = ({ part, field = "" }: Clash): string =>
    part === "field" ? field : t(part === "name" ? "name" : part === "phone" ? "number" : "optedOutLabel");
  const said = ({ theirs }: Clash): string => {
    if (theirs === null) return t("clash.removed");
    return typeof theirs === "boolean" ? t(theirs ? "yes" : "no") : `«${theirs}»`;
  };
  return (
    <Alert color="yellow" variant="outline" role="alert" title={t("clash.title")}>
      <p className={styles.plain}>{t(clashes.length > 0 ? "clash.some" : "clash.none")}</p>
      {clashes.length > 0 && (
        <ul className={styles.clashes}>
          {clashes.map((clash) => (
            <li key={`${clash.part} ${clash.field}`}>
              <span>
                <b>{labelOf(clash)}</b>: {said(clash)}
              </span>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t("clash.takeOf", { part: labelOf(clash) })}
                onClick={() => onTake(clash)}
              >
                {t("clash.take")}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

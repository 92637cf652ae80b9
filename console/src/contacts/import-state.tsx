import { Alert, Button, Group, Progress } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { outcomes, rowsIn } from "../shared/row-import.ts";
import styles from "./import.module.css";
import { type Import, shareOf, stopImport } from "./use-import.ts";

interface StateProps {
  readonly last: Import;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** The progress or the result of an import. */
export function ImportState({ last, onAgain, onClose }: StateProps) {
  const { t, i18n } = useTranslation("contacts");
  const count = (value: number): string => value.toLocaleString(i18n.language);
  const { file, rows, counts, state, refusedAt, reason } = last;
  return (
    <div className={styles.state}>
      <p className={styles.lead} role="status">
        {t(`import.${state}`, { file })}
      </p>
      {state !== "broken" && (
        <Progress value={shareOf(last)} size="lg" aria-label={t("import.progress")} animated={state === "running"} />
      )}
      {state === "running" && (
        <p className={styles.hint}>{t("import.far", { done: count(rowsIn(counts)), rows: count(rows) })}</p>
      )}
      <dl className={styles.counts}>
        {outcomes.map((outcome) => (
          <div key={outcome} data-outcome={outcome} data-none={counts[outcome] === 0}>
            <dt>{t(`import.count.${outcome}`)}</dt>
            <dd>{count(counts[outcome])}</dd>
          </div>
        ))}
      </dl>
      {state === "running" && <p className={styles.hint}>{t("import.leave")}</p>}
      {state === "broken" && (
        <Alert color="yellow" variant="outline" role="alert">
          {reason && <p className={styles.lead}>{reason}</p>}
          {t("import.goesOn")}
        </Alert>
      )}
      {refusedAt && (
        <div className={styles.refused}>
          <p className={styles.hint}>{t("import.refusedLead")}</p>
          <Button
            component="a"
            href={refusedAt}
            download="rechazados.csv"
            variant="default"
            leftSection={<Icon name="download" size={18} />}
          >
            {t("import.refusedFile", { count: counts.refused })}
          </Button>
        </div>
      )}
      <Group justify="flex-end">
        {state === "running" ? (
          <Button variant="default" onClick={stopImport}>
            {t("import.stop")}
          </Button>
        ) : (
          <>
            <Button variant="default" onClick={onAgain}>
              {t("import.again")}
            </Button>
            <Button onClick={onClose}>{t("import.see")}</Button>
          </>
        )}
      </Group>
    </div>
  );
}

import "./csv-texts.ts";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../shared/dialog.tsx";
import { downloadCsv } from "../shared/download.ts";
import { FileButton } from "../shared/file-button.tsx";
import { Icon } from "../shared/icons.tsx";
import { importRows, noRows, outcomes, rowsIn } from "../shared/row-import.ts";
import styles from "./csv-actions.module.css";
import { Failure } from "./page.tsx";
import type { Place } from "./places.ts";

interface CsvProps {
  readonly place: Place;
  /** The file's columns, with explanations. */
  readonly columns: string;
  /** Filters of the export. */
  readonly filters?: Readonly<Record<string, string>>;
  readonly onImported: () => Promise<void>;
}

/** Export and import of a resource as CSV. An exported file can be edited and imported again. */
export function CsvActions({ place, columns, filters, onImported }: CsvProps) {
  const { t } = useTranslation("csv");
  const [isOpen, setOpen] = useState(false);
  const [counts, setCounts] = useState(noRows);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const taking = useMutation({
    mutationFn: (file: File) => {
      running.current = new AbortController();
      setCounts(noRows);
      return importRows(`/admin/${place}/import`, file, setCounts, running.current.signal);
    },
    onSuccess: (end) => setCounts(end),
    onSettled: onImported,
  });
  const saving = useMutation({
    mutationFn: () => downloadCsv(`/admin/${place}?${new URLSearchParams(filters)}`, `${place}.csv`),
  });
  const close = (): void => {
    running.current?.abort();
    taking.reset();
    setCounts(noRows);
    setOpen(false);
  };
  const refusedAt = taking.data?.refused_csv;
  const isStopped = taking.error?.name === "AbortError";
  const outcome = taking.isPending ? "running" : taking.isError ? "stopped" : "ended";
  return (
    <>
      <div className={styles.actions}>
        <Button variant="default" leftSection={<Icon name="upload" size={18} />} onClick={() => setOpen(true)}>
          {t("import")}
        </Button>
        <Button
          variant="default"
          loading={saving.isPending}
          leftSection={<Icon name="download" size={18} />}
          onClick={() => saving.mutate()}
        >
          {t("export")}
        </Button>
      </div>
      <Failure error={saving.error} />
      <Dialog opened={isOpen} onClose={close} title={t("title")}>
        <Stack>
          <Text size="sm">{columns}</Text>
          <Text size="sm" c="dimmed">
            {t("rules")}
          </Text>
          {(taking.isPending || taking.isSuccess || isStopped || rowsIn(counts) > 0) && (
            <div role="status">
              <Text fw={600}>{t(outcome)}</Text>
              <ul className={styles.counts}>
                {outcomes.map((each) => (
                  <li key={each}>{t(each, { count: counts[each] })}</li>
                ))}
              </ul>
              {outcome !== "ended" && <Text size="sm">{t("stays")}</Text>}
            </div>
          )}
          {refusedAt && (
            <Alert color="yellow" variant="outline">
              <a className={styles.refused} href={refusedAt} download="rechazados.csv">
                {t("refusedFile")}
              </a>
            </Alert>
          )}
          {!isStopped && <Failure error={taking.error} />}
          <Group justify="flex-end">
            {taking.isPending ? (
              <Button variant="default" onClick={() => running.current?.abort()}>
                {t("stop")}
              </Button>
            ) : (
              <Button variant="default" onClick={close}>
                {t("close")}
              </Button>
            )}
            <FileButton accept=".csv,text/csv" onChoose={(file) => taking.mutate(file)}>
              {(props) => (
                <Button {...props} loading={taking.isPending}>
                  {t("choose")}
                </Button>
              )}
            </FileButton>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

import "./texts.ts";
import { Alert, Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type DragEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { FileButton } from "../shared/file-button.tsx";
import { Icon } from "../shared/icons.tsx";
import { Panel } from "../shared/panel.tsx";
import { ColumnMapping } from "./column-mapping.tsx";
import styles from "./import.module.css";
import { ImportState } from "./import-state.tsx";
import { csvOf, openSheet, type Sheet, type Target, WrongSheet } from "./sheet.ts";
import { forgetImport, startImport, useImport } from "./use-import.ts";

export function ImportPanel() {
  const { t } = useTranslation("contacts");
  const { administrador } = useMe();
  const navigate = useNavigate();
  const close = (): void => void navigate({ to: "/contacts", search: (search: object) => search });
  return (
    <Panel onClose={close} title={t("import.title")} size={720}>
      {administrador ? <Wizard onClose={close} /> : <Text role="alert">{t("import.notAllowed")}</Text>}
    </Panel>
  );
}

/** The steps of an import: file, columns, progress. */
function Wizard({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation("contacts");
  const last = useImport();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(t(`import.wrong.${error instanceof WrongSheet ? error.why : "unreadable"}`));
    } finally {
      setBusy(false);
    }
  };
  const choose = (file: File | null): void => {
    if (file) void attempt(async () => setSheet(await openSheet(file)));
  };
  const begin = (targets: readonly Target[]): void => {
    if (!sheet || isBusy) return;
    void attempt(async () => {
      const csv = await csvOf(sheet, targets);
      void startImport(sheet.file.name, sheet.rows, csv);
      setSheet(null);
    });
  };

  if (last && !sheet) return <ImportState last={last} onAgain={forgetImport} onClose={onClose} />;
  return (
    <>
      {sheet ? (
        <ColumnMapping
          key={sheet.file.name}
          sheet={sheet}
          isBusy={isBusy}
          onBegin={begin}
          onBack={() => setSheet(null)}
        />
      ) : (
        <DropZone isBusy={isBusy} onChoose={choose} />
      )}
      {problem && (
        <Alert color="red" variant="outline" role="alert" mt="md">
          {problem}
        </Alert>
      )}
    </>
  );
}

interface DropZoneProps {
  readonly isBusy: boolean;
  readonly onChoose: (file: File | null) => void;
}

function DropZone({ isBusy, onChoose }: DropZoneProps) {
  const { t } = useTranslation("contacts");
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    onChoose(event.dataTransfer.files[0] ?? null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keyboard.
    <div
      className={styles.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" size={36} />
      <p className={styles.lead}>{t("import.lead")}</p>
      <FileButton onChoose={onChoose} accept=".csv,.txt,.tsv,text/csv">
        {(props) => (
          <Button {...props} data-autofocus loading={isBusy}>
            {t("import.choose")}
          </Button>
        )}
      </FileButton>
      <p className={styles.hint}>{t("import.hint")}</p>
    </div>
  );
}

import { Alert, Button, Group, Select, Table, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./import.module.css";
import { complaintAbout, guessTargets, headerOf, type Sheet, type Target } from "./sheet.ts";

interface MappingProps {
  readonly sheet: Sheet;
  readonly isBusy: boolean;
  readonly onBegin: (targets: readonly Target[]) => void;
  readonly onBack: () => void;
}

const kinds = ["number", "name", "tags", "optedOut", "field", "skip"] as const;

/** Assigns a field to each column, with a preview of the first rows. */
export function ColumnMapping({ sheet, isBusy, onBegin, onBack }: MappingProps) {
  const { t } = useTranslation("contacts");
  const [targets, setTargets] = useState(() => guessTargets(sheet.columns));
  const complaint = complaintAbout(targets);
  const change = (at: number, target: Target): void =>
    setTargets(targets.map((each, index) => (index === at ? target : each)));
  return (
    <div className={styles.mapping}>
      <p className={styles.lead}>{t("import.found", { count: sheet.rows, file: sheet.file.name })}</p>
      <ul className={styles.columns} aria-label={t("import.columns")}>
        {sheet.columns.map((column, at) => (
          <Column
            // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and may be called the same.
            key={at}
            column={column}
            samples={sheet.samples.map((row) => row[at] ?? "").filter((cell) => cell !== "")}
            target={targets[at] ?? { kind: "skip" }}
            onChange={(target) => change(at, target)}
          />
        ))}
      </ul>
      <Preview sheet={sheet} targets={targets} />
      {complaint && (
        <Alert color="yellow" variant="outline" role="alert">
          {t(`import.wrong.${complaint}`)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack} disabled={isBusy}>
          {t("import.otherFile")}
        </Button>
        <Button disabled={complaint !== null} loading={isBusy} onClick={() => onBegin(targets)}>
          {t("import.begin", { count: sheet.rows })}
        </Button>
      </Group>
    </div>
  );
}

interface ColumnProps {
  readonly column: string;
  readonly samples: readonly string[];
  readonly target: Target;
  readonly onChange: (target: Target) => void;
}

function Column({ column, samples, target, onChange }: ColumnProps) {
  const { t } = useTranslation("contacts");
  const named = column || t("import.untitled");
  const choose = (kind: string | null): void => {
    const known = kinds.find((each) => each === kind) ?? "skip";
    onChange(known === "field" ? { kind: known, name: column } : { kind: known });
  };
  return (
    <li className={styles.column}>
      <div className={styles.source}>
        <b className={styles.clip}>{named}</b>
        <span className={styles.samples}>{samples.slice(0, 3).join(" · ")}</span>
      </div>
      <div className={styles.target}>
        <Select
          aria-label={t("import.targetOf", { column: named })}
          data={kinds.map((kind) => ({ value: kind, label: t(`import.target.${kind}`) }))}
          value={target.kind}
          allowDeselect={false}
          onChange={choose}
        />
        {target.kind === "field" && (
          <TextInput
            aria-label={t("import.fieldOf", { column: named })}
            maxLength={100}
            value={target.name}
            onChange={({ currentTarget: { value } }) => onChange({ kind: "field", name: value })}
          />
        )}
      </div>
    </li>
  );
}

interface PreviewProps {
  readonly sheet: Sheet;
  readonly targets: readonly Target[];
}

function Preview({ sheet, targets }: PreviewProps) {
  const { t } = useTranslation("contacts");
  const kept = targets.flatMap((target, at) => (headerOf(target) === null ? [] : { target, at }));
  if (kept.length === 0) return null;
  return (
    <div>
      <h3 id="import-preview" className={styles.heading}>
        {t("import.preview")}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard. */}
      <section className={styles.table} tabIndex={0} aria-labelledby="import-preview">
        <Table verticalSpacing={6} fz="sm">
          <Table.Thead>
            <Table.Tr>
              {kept.map(({ target, at }) => (
                <Table.Th key={at}>
                  {target.kind === "field" ? target.name : t(`import.target.${target.kind}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sheet.samples.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file have nothing else.
              <Table.Tr key={index}>
                {kept.map(({ at }) => (
                  <Table.Td key={at} className={styles.cell}>
                    {row[at]}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </div>
  );
}

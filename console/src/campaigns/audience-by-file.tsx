import { Button, Group, Select, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FileButton } from "../shared/file-button.tsx";
import { useNewest } from "../shared/newest.ts";
import {
  type Audience,
  audienceOfSheet,
  guessName,
  guessNumber,
  readSheet,
  type Sheet,
  type SheetColumns,
  tagFor,
  WrongSheet,
} from "./audience.ts";
import { AudienceTrouble } from "./audience-trouble.tsx";
import styles from "./campaigns.module.css";
import type { Draft } from "./draft.ts";

export interface AudiencePartProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly onAudience: (audience: Audience | null) => void;
}

interface Chosen {
  readonly file: File;
  readonly signal: AbortSignal;
}

/** Reads the recipients from a file. Its phone numbers become contacts, and its other columns fill placeholders. */
export function AudienceByFile({ draft, onChange, onAudience }: AudiencePartProps) {
  const { t } = useTranslation("campaigns");
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [number, setNumber] = useState<string | null>(null);
  const [name, setName] = useState<string | null>(null);
  const [done, setDone] = useState(0);
  const [isOver, setOver] = useState(false);
  const newest = useNewest();
  const open = useMutation({
    mutationFn: ({ file }: Chosen) => readSheet(file),
    onSuccess: (opened, { signal }) => {
      if (signal.aborted) return;
      setSheet(opened);
      setNumber(guessNumber(opened.columns));
      setName(guessName(opened.columns));
    },
    // The rows of an earlier file must not be taken for rows of this file.
    onError: (_, { signal }) => {
      if (!signal.aborted) setSheet(null);
    },
  });
  const take = useMutation({
    mutationFn: async ({ signal, ...columns }: SheetColumns & { readonly signal: AbortSignal }) => {
      if (!sheet) throw new WrongSheet("empty");
      setDone(0);
      const tag = await tagFor(t("tagOf", { name: draft.name.trim() }));
      signal.throwIfAborted();
      onChange({ tag: tag.id });
      return audienceOfSheet(sheet, columns, tag, setDone, AbortSignal.any([signal, AbortSignal.timeout(600_000)]));
    },
    onSuccess: (audience, { signal }) => {
      if (!signal.aborted) onAudience(audience);
    },
  });
  const choose = (file: File): void => {
    onAudience(null);
    take.reset();
    open.mutate({ file, signal: newest() });
  };
  const begin = (columns: SheetColumns): void => {
    onAudience(null);
    take.mutate({ ...columns, signal: newest() });
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same. */}
      <div
        className={styles.drop}
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const [file] = event.dataTransfer.files;
          if (file) choose(file);
        }}
      >
        <Text mb="xs">{sheet ? t("sheet", { name: sheet.name, count: sheet.rows.length }) : t("drop")}</Text>
        <FileButton accept=".csv,text/csv,text/plain" onChoose={choose}>
          {(props) => (
            <Button {...props} variant="default" loading={open.isPending}>
              {t("chooseFile")}
            </Button>
          )}
        </FileButton>
      </div>
      {sheet && (
        <Group grow align="flex-end">
          <Select label={t("numberColumn")} required data={[...sheet.columns]} value={number} onChange={setNumber} />
          <Select
            label={t("nameColumn")}
            data={[...sheet.columns]}
            value={name}
            onChange={setName}
            clearable
            clearButtonProps={{ "aria-label": t("clear") }}
          />
        </Group>
      )}
      {sheet && (
        <Text size="sm" c="dimmed">
          {t("takeHelp", { tag: t("tagOf", { name: draft.name.trim() }) })}
        </Text>
      )}
      {sheet && (
        <Group>
          <Button
            disabled={number === null || open.isPending}
            loading={take.isPending}
            onClick={() => number !== null && begin({ number, name })}
          >
            {t("take")}
          </Button>
          {take.isPending && <span role="status">{t("taken", { done, total: sheet.rows.length })}</span>}
        </Group>
      )}
      <AudienceTrouble error={open.error ?? take.error} />
    </>
  );
}

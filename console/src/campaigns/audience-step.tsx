import { Alert, Button, FileButton, Group, Loader, SegmentedControl, Select, Table, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, Refused } from "../shared/api.ts";
import {
  type Audience,
  audienceOf,
  audienceOfSheet,
  guessName,
  guessNumber,
  readSheet,
  type Sheet,
  tagFor,
  WrongSheet,
} from "./audience.ts";
import styles from "./campaigns.module.css";
import type { Draft } from "./draft.ts";

interface AudienceStepProps {
  readonly draft: Draft;
  readonly audience: Audience | null;
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly onAudience: (audience: Audience | null) => void;
}

export function AudienceStep({ draft, audience, onChange, onAudience }: AudienceStepProps) {
  const { t } = useTranslation("campaigns");
  return (
    <>
      <SegmentedControl
        aria-label={t("step.audience")}
        data={[
          { value: "tag", label: t("byTag") },
          { value: "file", label: t("byFile") },
        ]}
        value={draft.audience}
        onChange={(kind) => {
          onAudience(null);
          onChange({ audience: kind as Draft["audience"], tag: null, sources: {} });
        }}
      />
      {draft.audience === "tag" ? (
        <ByTag draft={draft} onChange={onChange} onAudience={onAudience} />
      ) : (
        <ByFile draft={draft} onChange={onChange} onAudience={onAudience} />
      )}
      {audience && <Taken audience={audience} />}
    </>
  );
}

type PartProps = Omit<AudienceStepProps, "audience">;

function ByTag({ draft, onChange, onAudience }: PartProps) {
  const { t } = useTranslation("campaigns");
  const [search, setSearch] = useState("");
  const { data: tags = [] } = useQuery({
    queryKey: ["tags", search],
    queryFn: async () =>
      (
        await answered(
          api.GET("/tags", { params: { query: { limit: 100, ...(search.trim() && { q: search.trim() }) } } }),
        )
      ).data,
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  const read = useMutation({
    mutationFn: (tag: number | null) => audienceOf(tag === null ? {} : { tag }, AbortSignal.timeout(120_000)),
    onSuccess: onAudience,
  });
  const choose = (tag: number | null): void => {
    onAudience(null);
    onChange({ tag });
    read.mutate(tag);
  };
  return (
    <>
      <Select
        label={t("tag")}
        description={t("tagHelp")}
        searchable
        onSearchChange={setSearch}
        data={tags.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
        value={draft.tag === null ? null : String(draft.tag)}
        onChange={(id) => id !== null && choose(Number(id))}
      />
      <Group>
        <Button variant="default" onClick={() => choose(null)}>
          {t("allContacts")}
        </Button>
        {draft.tag !== null && !read.isPending && (
          <Button variant="default" onClick={() => choose(draft.tag)}>
            {t("readAgain")}
          </Button>
        )}
        {read.isPending && <Loader size="sm" role="status" aria-label={t("reading")} />}
      </Group>
      <Trouble error={read.error} />
    </>
  );
}

function ByFile({ draft, onChange, onAudience }: PartProps) {
  const { t } = useTranslation("campaigns");
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [number, setNumber] = useState<string | null>(null);
  const [name, setName] = useState<string | null>(null);
  const [done, setDone] = useState(0);
  const [isOver, setOver] = useState(false);
  const open = useMutation({
    mutationFn: readSheet,
    onSuccess: (opened) => {
      onAudience(null);
      setSheet(opened);
      setNumber(guessNumber(opened.columns));
      setName(guessName(opened.columns));
    },
  });
  const take = useMutation({
    mutationFn: async (columns: { readonly number: string; readonly name: string | null }) => {
      if (!sheet) throw new WrongSheet("empty");
      setDone(0);
      const tag = await tagFor(t("tagOf", { name: draft.name.trim() }));
      onChange({ tag: tag.id });
      return audienceOfSheet(sheet, columns, tag, setDone, AbortSignal.timeout(600_000));
    },
    onSuccess: onAudience,
  });
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
          if (file) open.mutate(file);
        }}
      >
        <Text mb="xs">{sheet ? t("sheet", { name: sheet.name, count: sheet.rows.length }) : t("drop")}</Text>
        <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => file && open.mutate(file)}>
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
            disabled={number === null}
            loading={take.isPending}
            onClick={() => number !== null && take.mutate({ number, name })}
          >
            {t("take")}
          </Button>
          {take.isPending && <span role="status">{t("taken", { done, total: sheet.rows.length })}</span>}
        </Group>
      )}
      <Trouble error={open.error ?? take.error} />
    </>
  );
}

function Trouble({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation("campaigns");
  if (!error) return null;
  const text =
    error instanceof WrongSheet
      ? t(`wrongSheet.${error.why}`)
      : error instanceof Refused
        ? error.message
        : t("unreachable");
  return (
    <Alert color="red" variant="outline" role="alert">
      {text}
    </Alert>
  );
}

const mostShown = 50;

function Taken({ audience: { recipients, refused } }: { readonly audience: Audience }) {
  const { t } = useTranslation("campaigns");
  return (
    <div role="status">
      <Text fw={600}>{t("recipients", { count: recipients.length })}</Text>
      {refused.length > 0 && (
        <>
          <Text mt="xs">{t("refusedRows", { count: refused.length })}</Text>
          <Table.ScrollContainer
            minWidth={420}
            maxHeight={240}
            scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": t("refusedLabel") } }}
          >
            <Table>
              <Table.Tbody>
                {refused.slice(0, mostShown).map(({ row, cells, reason }) => (
                  <Table.Tr key={row}>
                    <Table.Td>{t("row", { row })}</Table.Td>
                    <Table.Td>{cells}</Table.Td>
                    <Table.Td className={styles.problem}>
                      {t(`rowReason.${reason as "noNumber" | "twice" | "wrongNumber"}`)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
    </div>
  );
}

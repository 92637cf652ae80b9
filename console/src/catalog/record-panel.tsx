import { Button, Group, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, Loading } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import settings from "../settings/settings.module.css";
import { type FieldRefusal, fieldRefusal } from "../shared/field-refusal.ts";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { Panel } from "../shared/panel.tsx";
import { useRecordForm } from "../shared/record-form.ts";
import { isPrice, RecordField } from "./record-field.tsx";
import {
  bodyOf,
  type CatalogRecord,
  readOf,
  readRecord,
  recordsChanged,
  removeRecord,
  saveRecord,
  type Values,
} from "./records.ts";
import { type CatalogPlace, type FieldName, type Resource, resourceOf } from "./resources.ts";

interface PanelProps {
  readonly place: CatalogPlace;
  readonly id: number | "new";
  readonly onClose: () => void;
}

export function RecordPanel({ place, id, onClose }: PanelProps) {
  const { t } = useTranslation("catalog");
  const isNew = id === "new";
  const { data, error, isPending } = useQuery({
    queryKey: ["admin", place, "one", id],
    queryFn: () => readRecord(place, Number(id)),
    enabled: !isNew,
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
  const { setDirty, release, question } = useLeaving(false);
  const done = (): void => {
    release();
    onClose();
  };
  const name = data?.[resourceOf(place).title];
  return (
    <Panel title={isNew ? t(`add.${place}`) : String(name ?? t("edit"))} onClose={onClose} size={480}>
      {!isNew && isPending && <Loading />}
      <Failure error={error} />
      {(isNew || data) && (
        <RecordForm place={place} record={data ?? null} onDirty={setDirty} onCancel={onClose} onDone={done} />
      )}
      {question}
    </Panel>
  );
}

interface FormProps {
  readonly place: CatalogPlace;
  readonly record: CatalogRecord | null;
  readonly onDirty: (isDirty: boolean) => void;
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

const isComplete = ({ fields }: Resource, values: Values, isNew: boolean): boolean =>
  fields.every(({ name, kind, isRequired }) => {
    const text = String(values[name] ?? "").trim();
    if (kind === "secret") return !isNew || text !== "";
    return text === "" ? !isRequired : kind !== "price" || isPrice(text);
  });

function RecordForm({ place, record, onDirty, onCancel, onDone }: FormProps) {
  const { t } = useTranslation("catalog");
  const resource = resourceOf(place);
  const id = record?.id ?? null;
  const form = useRecordForm<Values, unknown>(readOf(resource, record), {
    save: (values, header) => saveRecord(place, id, bodyOf(resource, values), header),
    readAgain: async () => readOf(resource, id === null ? null : await readRecord(place, id)),
    refresh: () => void recordsChanged(place),
    onSaved: onDone,
  });
  useEffect(() => onDirty(form.isChanged), [form.isChanged, onDirty]);
  const refusal = fieldRefusal(
    form.error,
    resource.fields.map(({ name }) => name),
  );
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.error) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form.error]);
  const wordsOf = ({ problem, words }: FieldRefusal<FieldName>): string =>
    problem === "other" ? `${words.charAt(0).toUpperCase()}${words.slice(1)}.` : t(`wrong.${problem}`);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  return (
    <form ref={element} onSubmit={send} className={settings.form}>
      <MovedOn clashes={form.clashes?.map((name) => t(`fields.${name}`)) ?? null} />
      <Frozen when={form.isSaving}>
        {resource.fields.map((field, index) => (
          <RecordField
            key={`${field.name}-${form.round}`}
            field={field}
            value={form.fields[field.name] ?? null}
            error={refusal?.name === field.name ? wordsOf(refusal) : undefined}
            isFirst={index === 0}
            isNew={record === null}
            onChange={(value) => form.set({ [field.name]: value })}
            onUploading={form.onUploading}
          />
        ))}
      </Frozen>
      {!refusal && <Failure error={form.error} />}
      <Group justify="space-between">
        {record ? <Remove place={place} record={record} onDone={onDone} /> : <span />}
        <Group>
          <Button variant="default" onClick={onCancel}>
            {t("cancel")}
          </Button>
          <Button
            type="submit"
            loading={form.isSaving}
            disabled={!form.isChanged || form.isUploading || !isComplete(resource, form.fields, record === null)}
          >
            {t("save")}
          </Button>
        </Group>
      </Group>
    </form>
  );
}

interface RemoveProps {
  readonly place: CatalogPlace;
  readonly record: CatalogRecord;
  readonly onDone: () => void;
}

function Remove({ place, record, onDone }: RemoveProps) {
  const { t } = useTranslation("catalog");
  const name = String(record[resourceOf(place).title] ?? t("noDefaultAccount"));
  const remove = useMutation({
    mutationFn: () => removeRecord(place, record.id),
    onSettled: () => recordsChanged(place),
  });
  return (
    <Stack gap={0}>
      <Asking
        label={t("remove")}
        name={name}
        question={t(`removeAsk.${place}`, { name })}
        act={remove}
        onDone={onDone}
      />
    </Stack>
  );
}

import { ActionIcon, Alert, Button, Checkbox, Loader, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, type Contact, Refused } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import styles from "./chat-side.module.css";
import { Failure } from "./failure.tsx";
import { reloadSide } from "./side.ts";
import { TagEditor } from "./tag-editor.tsx";

/** The parts of a contact that its card shows. */
export type CardContact = Omit<Contact, "chats" | "opted_out_desde">;

interface Read {
  readonly contact: CardContact;
  /** The version that was loaded, for `If-Match`. */
  readonly version: string;
}

async function fetchContact(id: number): Promise<Read> {
  const asked = api.GET("/contacts/{id}", { params: { path: { id } } });
  const contact = await answered(asked);
  return { contact, version: (await asked).response.headers.get("etag") ?? "" };
}

interface FormProps {
  readonly contact: CardContact;
  readonly onDone: () => void;
}

/** Loads the contact again first, since the page may show an older version. */
export function ContactForm({ contact: { id }, onDone }: FormProps) {
  const { t } = useTranslation("inbox");
  const read = useQuery({ queryKey: ["contact", id], queryFn: () => fetchContact(id), staleTime: 0, gcTime: 0 });
  const [isChanged, setChanged] = useState(false);
  if (read.isError) return <Failure error={read.error} />;
  if (!read.data) return <Loader size="sm" role="status" aria-label={t("contact")} />;
  const reload = async (): Promise<void> => {
    await read.refetch();
    setChanged(true);
  };
  return (
    <>
      {isChanged && (
        <Alert color="yellow" variant="outline" role="alert">
          {t("changed")}
        </Alert>
      )}
      <Fields key={read.data.version} read={read.data} onDone={onDone} onOutdated={() => void reload()} />
    </>
  );
}

interface FieldsProps {
  readonly read: Read;
  readonly onDone: () => void;
  /** Called if the contact was changed elsewhere after it was loaded. */
  readonly onOutdated: () => void;
}

interface Field {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

const mostFields = 50;
let keys = 0;

const isOutdated = (error: Error | null): boolean => error instanceof Refused && error.status === 412;

function Fields({ read: { contact, version }, onDone, onOutdated }: FieldsProps) {
  const { t } = useTranslation("inbox");
  const [name, setName] = useState(contact.nombre);
  const [optedOut, setOptedOut] = useState(contact.opted_out);
  const [tags, setTags] = useState(contact.tags);
  const [fields, setFields] = useState<readonly Field[]>(() =>
    Object.entries(contact.campos).map(([fieldName, value]) => ({ key: keys++, name: fieldName, value })),
  );
  const named = fields.filter((field) => field.name.trim() !== "");
  const typed = JSON.stringify([
    name,
    optedOut,
    tags.map(({ id }) => id),
    named.map((field) => [field.name, field.value]),
  ]);
  const [first] = useState(typed);
  const { release, question } = useLeaving(typed !== first);
  const isDouble = new Set(named.map((field) => field.name.trim())).size < named.length;
  const save = useMutation({
    mutationFn: () => {
      const body = {
        ...(name.trim() !== "" && name !== contact.nombre && { nombre: name.trim() }),
        ...(optedOut !== contact.opted_out && { opted_out: optedOut }),
        campos: Object.fromEntries(named.map((field) => [field.name.trim(), field.value])),
        tags: tags.map(({ id }) => id),
      };
      const params = { path: { id: contact.id }, header: { "If-Match": version } };
      return answered(api.PUT("/contacts/{id}", { params, body }));
    },
    onSuccess: () => {
      release();
      reloadSide();
      onDone();
    },
    onError: (error) => isOutdated(error) && onOutdated(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isDouble) save.mutate();
  };
  const change = (key: number, part: Partial<Field>): void =>
    setFields(fields.map((field) => (field.key === key ? { ...field, ...part } : field)));

  return (
    <form className={styles.form} onSubmit={submit}>
      {question}
      <TextInput
        size="xs"
        data-autofocus
        autoFocus
        label={t("name")}
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {fields.map((field) => (
        <div key={field.key} className={styles.field}>
          <TextInput
            size="xs"
            aria-label={t("fieldName")}
            placeholder={t("fieldName")}
            maxLength={100}
            value={field.name}
            onChange={(event) => change(field.key, { name: event.currentTarget.value })}
          />
          <TextInput
            size="xs"
            aria-label={field.name ? t("fieldValueOf", { name: field.name }) : t("fieldValue")}
            placeholder={t("fieldValue")}
            maxLength={1_000}
            value={field.value}
            onChange={(event) => change(field.key, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("removeField", { name: field.name })}
            onClick={() => setFields(fields.filter(({ key }) => key !== field.key))}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        </div>
      ))}
      {fields.length < mostFields && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setFields([...fields, { key: keys++, name: "", value: "" }])}
        >
          {t("addField")}
        </Button>
      )}
      <TagEditor
        label={t("contactTags")}
        tags={tags}
        onAdd={(tag) => setTags([...tags, tag])}
        onRemove={({ id }) => setTags(tags.filter((tag) => tag.id !== id))}
      />
      <Checkbox
        size="xs"
        label={t("optedOut")}
        checked={optedOut}
        onChange={(event) => setOptedOut(event.currentTarget.checked)}
      />
      {isDouble && (
        <p role="alert" className={styles.failure}>
          {t("doubleField")}
        </p>
      )}
      <Failure error={isOutdated(save.error) ? null : save.error} />
      <div className={styles.buttons}>
        <Button size="xs" type="submit" loading={save.isPending}>
          {t("save")}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          {t("cancel")}
        </Button>
      </div>
    </form>
  );
}

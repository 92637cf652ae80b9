import "../contacts/texts.ts";
import { ActionIcon, Button, Checkbox, Loader, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Clashes } from "../contacts/clashes.tsx";
import { asFields, type Field, hasDouble, hasNameless, rowsOf } from "../contacts/field-editor.tsx";
import { type Clash, type Draft, merge, taken } from "../contacts/merge.ts";
import { answered, api, type Contact, Refused } from "../shared/api.ts";
import { Frozen } from "../shared/frozen.tsx";
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
  if (read.isError)
    return (
      <div className={styles.form}>
        <Failure error={read.error} />
        <div className={styles.buttons}>
          <Button size="xs" variant="default" onClick={onDone}>
            {t("cancel")}
          </Button>
        </div>
      </div>
    );
  if (!read.data) return <Loader size="sm" role="status" aria-label={t("contact")} />;
  return <Fields read={read.data} onDone={onDone} />;
}

interface FieldsProps {
  readonly read: Read;
  readonly onDone: () => void;
}

const mostFields = 50;

const draftOf = ({ nombre, numero, opted_out, tags, campos }: CardContact): Draft => ({
  name: nombre,
  phone: numero,
  optedOut: opted_out,
  tags: tags.map(({ id }) => id),
  fields: campos,
});

const isOutdated = (error: Error | null): boolean => error instanceof Refused && error.status === 412;

function Fields({ read, onDone }: FieldsProps) {
  const { t } = useTranslation("inbox");
  // The contact as it was when editing began, or when another user's changes were last merged.
  const [{ contact, version }, setBase] = useState(read);
  const [clashes, setClashes] = useState<readonly Clash[] | null>(null);
  const [name, setName] = useState(contact.nombre);
  const [optedOut, setOptedOut] = useState(contact.opted_out);
  const [tags, setTags] = useState(contact.tags);
  const [fields, setFields] = useState<readonly Field[]>(() => rowsOf(contact.campos));
  const typed = JSON.stringify([name, optedOut, tags.map(({ id }) => id), asFields(fields)]);
  const [first] = useState(typed);
  const { release, question } = useLeaving(typed !== first);
  const wrong = [
    ...(hasDouble(fields) ? [t("doubleField")] : []),
    ...(hasNameless(fields) ? [t("namelessField")] : []),
  ];
  const show = (draft: Draft, known: CardContact["tags"]): void => {
    setName(draft.name);
    setOptedOut(draft.optedOut);
    setTags(draft.tags.flatMap((id) => known.find((tag) => tag.id === id) ?? []));
    setFields(rowsOf(draft.fields));
  };
  const mine: Draft = {
    ...{ name: name.trim() || contact.nombre, phone: contact.numero, optedOut },
    ...{ tags: tags.map(({ id }) => id), fields: asFields(fields) },
  };
  const save = useMutation({
    mutationFn: () => {
      const body = {
        ...(name.trim() !== "" && name !== contact.nombre && { nombre: name.trim() }),
        ...(optedOut !== contact.opted_out && { opted_out: optedOut }),
        campos: asFields(fields),
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
    onError: async (error) => {
      if (!isOutdated(error)) return;
      const now = await fetchContact(contact.id).catch(() => null);
      if (!now) return;
      const merged = merge(draftOf(contact), mine, draftOf(now.contact));
      setBase(now);
      show(merged.draft, [...tags, ...now.contact.tags]);
      setClashes(merged.clashes);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (wrong.length === 0) save.mutate();
  };
  const change = (key: number, part: Partial<Field>): void =>
    setFields(fields.map((field) => (field.key === key ? { ...field, ...part } : field)));

  return (
    <form className={styles.form} onSubmit={submit}>
      {question}
      <Frozen when={save.isPending}>
        {clashes && (
          <Clashes
            clashes={clashes}
            onTake={(clash) => {
              show(taken(mine, clash), tags);
              setClashes(clashes.filter((each) => each !== clash));
            }}
          />
        )}
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
              value={field.text}
              onChange={(event) => change(field.key, { text: event.currentTarget.value })}
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
            onClick={() => setFields([...fields, ...rowsOf({ "": "" })])}
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
        {wrong.map((text) => (
          <p key={text} role="alert" className={styles.failure}>
            {text}
          </p>
        ))}
        <Failure error={clashes && isOutdated(save.error) ? null : save.error} />
        <div className={styles.buttons}>
          <Button size="xs" type="submit" loading={save.isPending}>
            {t("save")}
          </Button>
          <Button size="xs" variant="default" onClick={onDone}>
            {t("cancel")}
          </Button>
        </div>
      </Frozen>
    </form>
  );
}

import { Alert, Button, Checkbox, Group, MultiSelect, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useTags } from "../inbox/tags.ts";
import { answered, api, type Contact, Refused } from "../shared/api.ts";
import { fieldRefusal } from "../shared/field-refusal.ts";
import { Frozen } from "../shared/frozen.tsx";
import { onceFor, useOutcome } from "../shared/once.ts";
import { queryClient } from "../shared/query.ts";
import { useIsShown } from "../shared/use-is-shown.ts";
import { Clashes } from "./clashes.tsx";
import styles from "./contact.module.css";
import { contactKey, fetchContact, type ReadContact, showContact } from "./contacts.ts";
import { asFields, type Field, FieldEditor, hasDouble, hasNameless, rowsOf } from "./field-editor.tsx";
import { type Clash, type Draft, merge, taken } from "./merge.ts";
import { useWordsOf } from "./words.ts";

interface FormProps {
  /** Null for a new contact. */
  readonly read: ReadContact | null;
  readonly onDirty: (isDirty: boolean) => void;
  readonly onDone: (contact: Contact) => void;
  readonly onCancel: () => void;
}

const none: Draft = { name: "", phone: "", optedOut: false, tags: [], fields: {} };

const draftOf = ({ nombre, numero, opted_out, tags, campos }: Contact): Draft => ({
  name: nombre,
  phone: numero,
  optedOut: opted_out,
  tags: tags.map(({ id }) => id),
  fields: campos,
});

type Typed = Omit<Draft, "fields"> & { readonly fields: readonly Field[] };
const typed = (draft: Draft): Typed => ({ ...draft, fields: rowsOf(draft.fields) });
const drafted = (values: Typed): Draft => ({ ...values, name: values.name.trim(), fields: asFields(values.fields) });

const sorted = ({ tags, fields, ...draft }: Draft): string =>
  JSON.stringify([draft, [...tags].sort(), Object.entries(fields).sort()]);

const subject = "new contact";

const movedOn = (error: unknown): boolean => error instanceof Refused && error.status === 412;

export function ContactForm({ read, onDirty, onDone, onCancel }: FormProps) {
  const { t } = useTranslation("contacts");
  const wordsOf = useWordsOf();
  const outcomeOf = useOutcome();
  const { data: allTags = [] } = useTags();
  const isShown = useIsShown();
  const once = onceFor(subject);
  const isNew = read === null;
  // When the form for a new contact closes, its Idempotency-Key is discarded, so that the next form creates another
  // contact, even with the same contents.
  useEffect(() => (isNew ? onceFor(subject).forget : undefined), [isNew]);
  // The contact as it was when editing began, or when another user's changes were last merged.
  const [base, setBase] = useState(read);
  const [values, setValues] = useState(() => typed(base ? draftOf(base.contact) : none));
  const [clashes, setClashes] = useState<readonly Clash[] | null>(null);
  const before = base ? draftOf(base.contact) : none;
  const isDirty = sorted(drafted(values)) !== sorted(before);
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  const set = (part: Partial<Typed>): void => setValues({ ...values, ...part });

  const save = useMutation({
    mutationFn: (key: string) => (base ? change(base, before, drafted(values)) : create(drafted(values), key)),
    onSuccess: (saved, key) => {
      if (!base) once.done(key);
      showContact(saved.contact);
      queryClient.setQueryData(contactKey(saved.contact.id), saved);
      if (isShown()) onDone(saved.contact);
    },
    onError: async (error, key) => {
      if (!base) return once.failed(key, error);
      if (!movedOn(error)) return;
      const now = await fetchContact(base.contact.id).catch(() => null);
      if (!now) return;
      const merged = merge(before, drafted(values), draftOf(now.contact));
      queryClient.setQueryData(contactKey(base.contact.id), now);
      setBase(now);
      setValues(typed(merged.draft));
      setClashes(merged.clashes);
    },
  });
  const isWrong = hasDouble(values.fields) || hasNameless(values.fields);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWrong && !save.isPending) save.mutate(once.begin());
  };
  const known = [...allTags, ...(base?.contact.tags ?? []).filter(({ id }) => allTags.every((tag) => tag.id !== id))];
  const isTaken = save.error instanceof Refused && save.error.code === "number_taken";
  const wrongNumber = fieldRefusal(save.error, ["numero"]) !== null ? t("wrongNumber") : undefined;
  const numberError = isTaken ? wordsOf(save.error) : wrongNumber;
  const hasNumber = base === null || base.contact.numero !== "";

  return (
    <form className={styles.form} onSubmit={submit}>
      {clashes && (
        <Clashes
          clashes={clashes}
          onTake={(clash) => {
            setValues(typed(taken(drafted(values), clash)));
            setClashes(clashes.filter((each) => each !== clash));
          }}
        />
      )}
      <Frozen when={save.isPending}>
        <TextInput
          data-autofocus
          label={t("name")}
          description={base ? undefined : t("nameHint")}
          maxLength={200}
          value={values.name}
          required={base !== null}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        {hasNumber ? (
          <TextInput
            type="tel"
            label={t("number")}
            description={t("numberHint")}
            maxLength={64}
            required
            value={values.phone}
            error={numberError}
            onChange={(event) => set({ phone: event.currentTarget.value })}
          />
        ) : (
          <p className={styles.dim}>{t("noNumber")}</p>
        )}
        <MultiSelect
          label={t("tags")}
          placeholder={values.tags.length === 0 ? t("chooseTags") : ""}
          searchable
          limit={100}
          data={known.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
          value={values.tags.map(String)}
          nothingFoundMessage={t("filter.noTag")}
          onChange={(tags) => set({ tags: tags.map(Number) })}
        />
        <FieldEditor fields={values.fields} onChange={(fields) => set({ fields })} />
        <Checkbox
          label={t("optedOutLabel")}
          description={t("optedOutHint")}
          checked={values.optedOut}
          onChange={(event) => set({ optedOut: event.currentTarget.checked })}
        />
      </Frozen>
      {save.error && !wrongNumber && !(clashes && movedOn(save.error)) && (
        <Alert color="red" variant="outline" role="alert">
          {outcomeOf(save.error, wordsOf(save.error))}
        </Alert>
      )}
      <Group justify="flex-end" className={styles.foot}>
        <Button variant="default" onClick={onCancel}>
          {t("cancel")}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={isWrong || (base !== null && !isDirty)}>
          {t(base ? "save" : "create")}
        </Button>
      </Group>
    </form>
  );
}

async function create(draft: Draft, once: string): Promise<ReadContact> {
  const contact = await answered(
    api.POST("/contacts", {
      params: { header: { "Idempotency-Key": once } },
      body: {
        ...(draft.name && { nombre: draft.name }),
        numero: draft.phone,
        campos: draft.fields,
        tags: [...draft.tags],
        opted_out: draft.optedOut,
      },
    }),
  );
  return fetchContact(contact.id).catch(() => ({ contact, version: "" }));
}

async function change({ contact: { id }, version }: ReadContact, before: Draft, draft: Draft): Promise<ReadContact> {
  const asked = api.PUT("/contacts/{id}", {
    params: { path: { id }, header: { "If-Match": version } },
    body: {
      ...(draft.name !== "" && draft.name !== before.name && { nombre: draft.name }),
      ...(draft.phone !== before.phone && { numero: draft.phone }),
      ...(draft.optedOut !== before.optedOut && { opted_out: draft.optedOut }),
      campos: draft.fields,
      tags: [...draft.tags],
    },
  });
  const contact = await answered(asked);
  return { contact, version: (await asked).response.headers.get("etag") ?? "" };
}

import { Alert, Button, Group, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { isReady, type Template, useTemplates } from "../inbox/templates.ts";
import { answered, api, type Contact } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Frozen } from "../shared/frozen.tsx";
import { notice } from "../shared/notice.ts";
import { onceFor, useOutcome } from "../shared/once.ts";
import { queryClient } from "../shared/query.ts";
import { TemplatePreview } from "../shared/template-preview.tsx";
import type { TemplateText } from "../shared/template-text.ts";
import { useIsShown } from "../shared/use-is-shown.ts";
import styles from "./contact.module.css";
import { contactKey, fetchContact, nameOf, showContact } from "./contacts.ts";
import { useWordsOf } from "./words.ts";

interface SendProps {
  readonly contact: Contact;
  readonly onClose: () => void;
}

const textOf = ({ headerMedia, header, body, footer, buttons, variables }: Template): TemplateText => ({
  media: headerMedia?.toUpperCase() ?? null,
  header: header || null,
  body,
  footer: footer || null,
  buttons,
  placeholders: variables,
});

/** Sends a template. Other messages must be sent within 24 hours after the contact's last message, except on QR. */
export function SendTemplate({ contact, onClose }: SendProps) {
  const { t } = useTranslation("contacts");
  const { empresa } = useMe();
  const navigate = useNavigate();
  const wordsOf = useWordsOf();
  const outcomeOf = useOutcome();
  const { data: templates, isPending, isError } = useTemplates();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const isShown = useIsShown();
  const once = onceFor(`template ${contact.id}`);
  const ready = templates?.filter(isReady) ?? [];
  const chosen = ready.find(({ id }) => String(id) === chosenId);
  const parameters = (chosen?.variables ?? []).map((name) => values[name]?.trim() ?? "");
  const isWhole = chosen !== undefined && parameters.every((text) => text !== "");
  const send = useMutation({
    mutationFn: async (key: string) => {
      const body = { empresa_id: empresa.id, phone_number: contact.numero, plantilla_id: Number(chosenId), parameters };
      const params = { header: { "Idempotency-Key": key } };
      await answered(api.POST("/chats/enviar/plantilla/business", { params, body }));
      return fetchContact(contact.id).catch(() => null);
    },
    onSuccess: (read, key) => {
      once.done(key);
      notice({ message: t("template.sent", { name: nameOf(contact) }) });
      if (read) showContact(read.contact);
      void queryClient.invalidateQueries({ queryKey: contactKey(contact.id) });
      if (!isShown()) return;
      onClose();
      const chat = read?.contact.chats.find(({ provider }) => provider === "platform-apicloud");
      if (chat) void navigate({ to: "/inbox/$chat", params: { chat: String(chat.chat_id) } });
    },
    onError: (error, key) => once.failed(key, error),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isWhole && !send.isPending) send.mutate(once.begin());
  };
  return (
    <Dialog opened onClose={onClose} title={t("template.title", { name: nameOf(contact) })} size={520}>
      <form className={styles.form} onSubmit={submit}>
        {contact.opted_out && (
          <Alert color="yellow" variant="outline">
            {t("template.optedOut")}
          </Alert>
        )}
        {isError && <Alert color="red">{t("loadFailed")}</Alert>}
        <Frozen when={send.isPending}>
          {!isPending && !isError && ready.length === 0 ? (
            <p className={styles.plain}>{t("template.none")}</p>
          ) : (
            <Select
              data-autofocus
              label={t("template.label")}
              placeholder={t("template.choose")}
              searchable
              limit={100}
              nothingFoundMessage={t("template.noneFound")}
              data={ready.map(({ id, name }) => ({ value: String(id), label: name }))}
              value={chosenId}
              onChange={setChosenId}
            />
          )}
          {chosen?.variables.map((name) => (
            <TextInput
              key={name}
              label={t("template.valueOf", { name })}
              maxLength={500}
              required
              value={values[name] ?? ""}
              onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
            />
          ))}
        </Frozen>
        {chosen && <TemplatePreview template={textOf(chosen)} values={values} />}
        {send.error && (
          <Alert color="red" variant="outline" role="alert">
            {outcomeOf(send.error, wordsOf(send.error))}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button type="submit" disabled={!isWhole} loading={send.isPending}>
            {t("template.send")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

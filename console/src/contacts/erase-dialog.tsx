import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, type Contact, Refused } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { notice } from "../shared/notice.ts";
import styles from "./contact.module.css";
import { dropContact, nameOf } from "./contacts.ts";
import { useWordsOf } from "./words.ts";

interface EraseProps {
  readonly contact: Contact;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

async function erase(id: number): Promise<void> {
  const { response, error } = await api.DELETE("/contacts/{id}", { params: { path: { id } } });
  // 404 means that another user has already erased the contact.
  if (!response.ok && response.status !== 404) throw new Refused(response.status, error);
}

const parts = ["person", "messages", "addresses"] as const;

export function EraseDialog({ contact, opened, onClose, onErased }: EraseProps) {
  const { t } = useTranslation("contacts");
  const wordsOf = useWordsOf();
  const [typed, setTyped] = useState("");
  const erasing = useMutation({
    mutationFn: () => erase(contact.id),
    onSuccess: () => {
      notice({ message: t("erase.done") });
      onErased();
      dropContact(contact.id);
    },
  });
  const isMeant = typed.trim().toLocaleUpperCase() === t("erase.word");
  const close = (): void => {
    if (erasing.isPending) return;
    setTyped("");
    erasing.reset();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isMeant && !erasing.isPending) erasing.mutate();
  };
  return (
    <Dialog opened={opened} onClose={close} title={t("erase.title", { name: nameOf(contact) })}>
      <form onSubmit={submit} className={styles.form}>
        <div>
          <p className={styles.plain}>{t("erase.lead")}</p>
          <ul className={styles.points}>
            {parts.map((part) => (
              <li key={part}>{t(`erase.${part}`)}</li>
            ))}
          </ul>
          <p className={styles.dim}>{t("erase.kept")}</p>
        </div>
        <TextInput
          data-autofocus
          label={t("erase.type", { word: t("erase.word") })}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {erasing.error && (
          <Alert color="red" variant="outline" role="alert">
            {wordsOf(erasing.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={erasing.isPending}>
            {t("cancel")}
          </Button>
          <Button type="submit" color="red.9" disabled={!isMeant} loading={erasing.isPending}>
            {t("erase.do")}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

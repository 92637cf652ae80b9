import { Badge, Button, Group } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import type { Contact } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { Initials } from "../shared/initials.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { shownPhone } from "../shared/phone.ts";
import { TagList } from "../shared/tag-list.tsx";
import { useClock } from "../shared/use-clock.ts";
import styles from "./contact.module.css";
import { ContactChats } from "./contact-chats.tsx";
import { latestChats, nameOf } from "./contacts.ts";
import { EraseDialog } from "./erase-dialog.tsx";
import { SendTemplate } from "./send-template.tsx";

interface ViewProps {
  readonly contact: Contact;
  readonly onEdit: () => void;
  readonly onErased: () => void;
}

export function ContactView({ contact, onEdit, onErased }: ViewProps) {
  const { t } = useTranslation("contacts");
  const { administrador } = useMe();
  const [isErasing, setErasing] = useState(false);
  const [isSending, setSending] = useState(false);
  const chat = latestChats(contact)[0]?.chat_id ?? null;
  return (
    <div className={styles.view}>
      <Head contact={contact} />
      <Group gap="xs">
        {chat !== null && (
          <LinkButton
            to="/inbox/$chat"
            params={{ chat: String(chat) }}
            leftSection={<Icon name="chat" size={18} />}
            size="sm"
          >
            {t("openChat")}
          </LinkButton>
        )}
        {contact.numero && (
          <Button
            size="sm"
            variant={chat === null ? "filled" : "default"}
            leftSection={<Icon name="template" size={18} />}
            onClick={() => setSending(true)}
          >
            {t("template.open")}
          </Button>
        )}
        <Button size="sm" variant="default" leftSection={<Icon name="edit" size={18} />} onClick={onEdit}>
          {t("edit")}
        </Button>
      </Group>
      <OptedOut contact={contact} />
      <Fields contact={contact} />
      <ContactChats contact={contact} />
      {administrador && (
        <div className={styles.danger}>
          <Button
            variant="subtle"
            color="red"
            size="sm"
            className={styles.erase}
            leftSection={<Icon name="trash" size={18} />}
            onClick={() => setErasing(true)}
          >
            {t("erase.open")}
          </Button>
        </div>
      )}
      <EraseDialog contact={contact} opened={isErasing} onClose={() => setErasing(false)} onErased={onErased} />
      {isSending && <SendTemplate contact={contact} onClose={() => setSending(false)} />}
    </div>
  );
}

function Head({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const clock = useClock();
  const { numero, creado, tags } = contact;
  return (
    <div className={styles.head}>
      <Initials name={nameOf(contact)} size={56} />
      <div className={styles.about}>
        <p className={styles.number}>{shownPhone(numero) || t("noNumber")}</p>
        <p className={styles.dim}>{t("since", { at: clock.day(creado) })}</p>
        {tags.length > 0 && (
          <TagList className={styles.tags} label={t("tags")} tags={tags}>
            {({ nombre }) => (
              <Badge variant="default" size="md" tt="none" fw={500}>
                {nombre}
              </Badge>
            )}
          </TagList>
        )}
      </div>
    </div>
  );
}

function OptedOut({ contact: { opted_out, opted_out_desde: at } }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const clock = useClock();
  if (!opted_out) return null;
  return (
    <div className={styles.optedOut}>
      <b>{t("optedOut")}</b>
      <p className={styles.dim}>
        {at === null ? "" : `${t("optedOutSince", { at: clock.moment(at) })} `}
        {t("optedOutWhy")}
      </p>
    </div>
  );
}

function Fields({ contact: { campos } }: { readonly contact: Contact }) {
  const { t } = useTranslation("contacts");
  const fields = Object.entries(campos);
  return (
    <section aria-labelledby="contact-fields">
      <h3 id="contact-fields" className={styles.heading}>
        {t("fields.title")}
      </h3>
      {fields.length === 0 && <p className={styles.dim}>{t("fields.none")}</p>}
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

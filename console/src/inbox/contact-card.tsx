import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isErased, nameOf } from "../shared/customer.ts";
import { Icon } from "../shared/icons.tsx";
import { shownPhone } from "../shared/phone.ts";
import { TagList } from "../shared/tag-list.tsx";
import styles from "./chat-side.module.css";
import { type CardContact, ContactForm } from "./contact-form.tsx";

export function ContactCard({ contact }: { readonly contact: CardContact }) {
  const { t } = useTranslation("inbox");
  const { t: tCommon } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  const isGone = isErased(contact);
  const fields = Object.entries(contact.campos);
  return (
    <section className={styles.section} aria-label={t("contact")}>
      <div className={styles.line}>
        <h3 className={styles.heading}>{t("contact")}</h3>
        {!isEditing && !isGone && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<Icon name="edit" size={14} />}
            aria-label={t("editContact")}
            onClick={() => setEditing(true)}
          >
            {t("edit")}
          </Button>
        )}
      </div>
      {isEditing ? (
        <ContactForm contact={contact} onDone={() => setEditing(false)} />
      ) : (
        <>
          <p className={styles.name}>{nameOf(contact, tCommon)}</p>
          {contact.numero && <p className={styles.dim}>{shownPhone(contact.numero)}</p>}
          {contact.opted_out && !isGone && (
            <Badge size="sm" color="red" variant="outline" tt="none">
              {t("optedOut")}
            </Badge>
          )}
          {contact.tags.length > 0 && (
            <TagList label={t("contactTags")} tags={contact.tags}>
              {({ nombre }) => (
                <Badge variant="default" size="sm" tt="none" fw={500}>
                  {nombre}
                </Badge>
              )}
            </TagList>
          )}
          {fields.length > 0 && (
            <dl className={styles.fields}>
              {fields.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
        </>
      )}
    </section>
  );
}

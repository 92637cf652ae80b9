import { Button, Modal, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Chat } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { useReturnFocus } from "../shared/use-return-focus.ts";
import type { OutgoingContent } from "./outgoing.ts";
import { plain } from "./quick-replies.ts";
import styles from "./template-dialog.module.css";
import { TemplateFill } from "./template-fill.tsx";
import { type Template, useTemplates } from "./templates.ts";

interface DialogProps {
  readonly chat: Chat;
  readonly onSend: (content: OutgoingContent) => void;
  readonly onClose: () => void;
}

export function TemplateDialog({ chat, onSend, onClose }: DialogProps) {
  const { t } = useTranslation("thread");
  useReturnFocus();
  const [chosen, setChosen] = useState<Template | null>(null);
  return (
    <Modal.Root opened onClose={onClose} size={760}>
      <Modal.Overlay />
      <Modal.Content>
        <div className={styles.head}>
          <Modal.Title className={styles.title ?? ""}>{chosen?.name ?? t("templates.title")}</Modal.Title>
          <Modal.CloseButton aria-label={t("picture.close")} />
        </div>
        <Modal.Body>
          {chosen ? (
            <TemplateFill chat={chat} template={chosen} onSend={onSend} onBack={() => setChosen(null)} />
          ) : (
            <Choose onChoose={setChosen} />
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Choose({ onChoose }: { readonly onChoose: (template: Template) => void }) {
  const { t } = useTranslation("thread");
  const { t: tCommon } = useTranslation();
  const { data: templates, isPending, isError, refetch } = useTemplates();
  const [asked, setAsked] = useState("");
  const words = plain(asked.trim());
  const found = templates?.filter(({ name, body }) => plain(`${name} ${body}`).includes(words));
  return (
    <div className={styles.choose}>
      <TextInput
        data-autofocus
        type="search"
        leftSection={<Icon name="search" size={18} />}
        aria-label={t("templates.search")}
        placeholder={t("templates.search")}
        value={asked}
        onChange={(event) => setAsked(event.currentTarget.value)}
      />
      {isPending && (
        <div role="status" aria-label={tCommon("thread.loading")} className={styles.list}>
          {[1, 2, 3, 4, 5].map((index) => (
            <span key={index} className={styles.ghost} />
          ))}
        </div>
      )}
      {isError && !templates && (
        <div role="alert" className={styles.none}>
          <Text>{t("templates.failed")}</Text>
          <Button variant="default" onClick={() => void refetch()}>
            {tCommon("inbox.retry")}
          </Button>
        </div>
      )}
      {found?.length === 0 && (
        <p className={styles.none}>{t(templates?.length === 0 ? "templates.empty" : "templates.none")}</p>
      )}
      <ul className={styles.list} aria-label={t("templates.list")}>
        {found?.map((template) => (
          <li key={template.id}>
            <button
              type="button"
              className={styles.option}
              disabled={template.state !== "APPROVED"}
              onClick={() => onChoose(template)}
            >
              <span className={styles.name}>
                {template.name}
                {template.headerMedia && <Icon name="attach" size={14} />}
              </span>
              <span className={styles.text}>{template.body}</span>
              {template.state !== "APPROVED" && (
                <span className={styles.state}>
                  {t(template.state === "PENDING" ? "templates.pending" : "templates.rejected")}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

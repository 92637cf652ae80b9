import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./thread-texts.ts";
import { useMe } from "../app/session.ts";
import { Icon } from "../shared/icons.tsx";
import { readText } from "./drafts.ts";
import styles from "./lost-chat.module.css";

interface LostProps {
  readonly chatId: number;
  readonly said: string;
}

/** Says why the user may not see the chat, and shows the unsent texts and a link back. */
export function LostChat({ chatId, said }: LostProps) {
  const { t } = useTranslation();
  const { id: userId } = useMe();
  const message = readText(userId, chatId, false);
  const note = readText(userId, chatId, true);
  const back = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    // The composer may have had the focus when it was removed.
    if (document.activeElement === null || document.activeElement === document.body) back.current?.focus();
  }, []);
  return (
    <div className={styles.lost}>
      <p role="alert" className={styles.said}>
        <Icon name="hand" size={18} /> {said}
      </p>
      {message !== "" && <Unsent label={t("composer.label")} draft={message} />}
      {note !== "" && <Unsent label={t("composer.note")} draft={note} />}
      <Button
        renderRoot={(props) => <Link {...props} ref={back} to="/inbox" search={(before: object) => before} />}
        leftSection={<Icon name="back" size={18} />}
        className={styles.back ?? ""}
      >
        {t("chat.back")}
      </Button>
    </div>
  );
}

function Unsent({ label, draft }: { readonly label: string; readonly draft: string }) {
  const { t } = useTranslation("thread");
  const { copied, copy } = useClipboard();
  return (
    <div className={styles.unsent}>
      <label className={styles.labelled}>
        <span className={styles.label}>{label}</span>
        <textarea className={styles.draft} readOnly rows={2} value={draft} />
      </label>
      {/* Without https, browsers refuse the clipboard. */}
      {window.isSecureContext && (
        <Button
          variant="default"
          leftSection={<Icon name={copied ? "check" : "copy"} size={18} />}
          onClick={() => copy(draft)}
        >
          {t(copied ? "copied" : "copy")}
        </Button>
      )}
    </div>
  );
}

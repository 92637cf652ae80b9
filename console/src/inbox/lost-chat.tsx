import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./thread-texts.ts";
import { useMe } from "../app/session.ts";
import { Icon } from "../shared/icons.tsx";
import { readDraft } from "./drafts.ts";
import styles from "./lost-chat.module.css";

interface LostProps {
  readonly chatId: number;
  readonly said: string;
}

/**
 * Replaces the composer when the user may no longer see the chat. Shows the reason, the unsent text and a link back.
 */
export function LostChat({ chatId, said }: LostProps) {
  const { t } = useTranslation();
  const { id: userId } = useMe();
  const { text: draft } = readDraft(userId, chatId);
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
      {draft !== "" && <Unsent draft={draft} />}
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

function Unsent({ draft }: { readonly draft: string }) {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const { copied, copy } = useClipboard();
  return (
    <div className={styles.unsent}>
      <textarea className={styles.draft} aria-label={t("composer.label")} readOnly rows={2} value={draft} />
      {/* Without https, browsers refuse the clipboard. */}
      {window.isSecureContext && (
        <Button
          variant="default"
          leftSection={<Icon name={copied ? "check" : "copy"} size={18} />}
          onClick={() => copy(draft)}
        >
          {tThread(copied ? "copied" : "copy")}
        </Button>
      )}
    </div>
  );
}

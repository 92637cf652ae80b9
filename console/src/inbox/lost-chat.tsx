import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef, useState } from "react";
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

/** In the composer's place, once the user may not see a chat any more: why, what was not sent, and the way back. */
export function LostChat({ chatId, said }: LostProps) {
  const { t } = useTranslation();
  const { id: userId } = useMe();
  const draft = readDraft(userId, chatId);
  const back = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    // The composer had the focus and is gone.
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
  const { t: tell } = useTranslation("thread");
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(draft);
    setCopied(true);
  };
  return (
    <div className={styles.unsent}>
      <textarea className={styles.draft} aria-label={t("composer.label")} readOnly rows={2} value={draft} />
      {/* The browser gives the clipboard only to pages that came by https, or from this machine. */}
      {window.isSecureContext && (
        <Button
          variant="default"
          leftSection={<Icon name={isCopied ? "check" : "copy"} size={18} />}
          onClick={() => void copy()}
        >
          {tell(isCopied ? "copied" : "copy")}
        </Button>
      )}
    </div>
  );
}

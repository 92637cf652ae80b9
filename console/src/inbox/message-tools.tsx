import { useClipboard } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import styles from "./thread.module.css";

interface ToolsProps {
  readonly message: Message;
  /** Null if replies cannot be sent. */
  readonly onQuote: ((message: Message) => void) | null;
}

const confirmedMs = 1_500;

/** The buttons beside the message that has the pointer or the focus. */
export function MessageTools({ message, onQuote }: ToolsProps) {
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const { copied, copy } = useClipboard({ timeout: confirmedMs });
  // Without https, browsers refuse the clipboard.
  const mayCopy = message.texto !== "" && window.isSecureContext;
  return (
    <div className={styles.tools}>
      {onQuote && !message.nota && (
        <button
          type="button"
          className={styles.tool}
          aria-label={t("thread.reply")}
          title={t("thread.reply")}
          onClick={() => onQuote(message)}
        >
          <Icon name="reply" size={18} />
        </button>
      )}
      {mayCopy && (
        <button
          type="button"
          className={styles.tool}
          data-optional="true"
          aria-label={tThread(copied ? "copied" : "copy")}
          title={tThread(copied ? "copied" : "copy")}
          onClick={() => copy(message.texto)}
        >
          <Icon name={copied ? "check" : "copy"} size={18} />
        </button>
      )}
    </div>
  );
}

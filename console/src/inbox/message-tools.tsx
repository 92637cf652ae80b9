import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import styles from "./thread.module.css";

interface ToolsProps {
  readonly message: Message;
  readonly onQuote: (message: Message) => void;
}

const confirmedMs = 1_500;

/** Beside a message, where the pointer or the focus is. */
export function MessageTools({ message, onQuote }: ToolsProps) {
  const { t } = useTranslation();
  const { t: tell } = useTranslation("thread");
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(message.texto);
    setCopied(true);
    setTimeout(() => setCopied(false), confirmedMs);
  };
  // The browser gives the clipboard only to pages that came by https, or from this machine.
  const mayCopy = message.texto !== "" && window.isSecureContext;
  return (
    <div className={styles.tools}>
      {!message.nota && (
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
          aria-label={tell(isCopied ? "copied" : "copy")}
          title={tell(isCopied ? "copied" : "copy")}
          onClick={() => void copy()}
        >
          <Icon name={isCopied ? "check" : "copy"} size={18} />
        </button>
      )}
    </div>
  );
}

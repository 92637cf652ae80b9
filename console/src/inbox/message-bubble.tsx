import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { useClock } from "../shared/use-clock.ts";
import { Attachment, Details } from "./attachment.tsx";
import { kindOf } from "./kinds.ts";
import { StatusMark } from "./status-mark.tsx";
import styles from "./thread.module.css";

interface BubbleProps {
  readonly message: Message;
  /** What it answers: null when that is not loaded, undefined when it answers nothing. */
  readonly quoted: Message | null | undefined;
  readonly onQuote: (message: Message) => void;
}

export const MessageBubble = memo(function MessageBubble({ message, quoted, onQuote }: BubbleProps) {
  const { t } = useTranslation();
  const clock = useClock();
  const isOut = message.direccion === "saliente";
  const side = message.nota ? "note" : isOut ? "out" : "in";
  return (
    <article className={styles.message} data-side={side}>
      <div className={styles.bubble}>
        {message.nota && <p className={styles.author}>{t("thread.note", { name: message.autor_nombre })}</p>}
        {!message.nota && isOut && message.autor_nombre && <p className={styles.author}>{message.autor_nombre}</p>}
        {quoted !== undefined && (
          <blockquote className={styles.quote}>
            {quoted ? quoted.texto || kindOf(quoted.tipo, t) : t("thread.original")}
          </blockquote>
        )}
        <Attachment message={message} />
        <Details message={message} />
        {message.texto && <p className={styles.text}>{message.texto}</p>}
        <p className={styles.foot}>
          <time dateTime={message.fecha}>{clock.time(message.fecha)}</time>
          {isOut && !message.nota && <StatusMark state={message.estado} reason={message.error?.motivo ?? null} />}
        </p>
        {message.estado === "failed" && message.error?.motivo && (
          <p className={styles.failure}>{t("status.failedWhy", { reason: message.error.motivo })}</p>
        )}
        {message.reacciones.length > 0 && (
          <ul className={styles.reactions}>
            {message.reacciones.map(({ autor, emoji }) => (
              <li key={autor} title={t("thread.reaction", { author: autor, emoji })}>
                {emoji}
              </li>
            ))}
          </ul>
        )}
      </div>
      {!message.nota && (
        <button
          type="button"
          className={styles.reply}
          aria-label={t("thread.reply")}
          title={t("thread.reply")}
          onClick={() => onQuote(message)}
        >
          <Icon name="reply" size={18} />
        </button>
      )}
    </article>
  );
});

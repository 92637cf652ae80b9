import { memo, type Ref } from "react";
import { useTranslation } from "react-i18next";
import type { Clock } from "../shared/time.ts";
import { type MessageActions, MessageBubble } from "./message-bubble.tsx";
import { OutgoingBubble } from "./outgoing-bubble.tsx";
import styles from "./thread.module.css";
import type { Row } from "./thread-rows.ts";

interface RowProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly row: Row;
  readonly index: number;
  /** Pixels from the start of the thread. */
  readonly start: number;
  readonly clock: Clock;
  readonly actions: MessageActions;
  readonly isLit: boolean;
}

/** A message with the day and the unread mark above it. They are one row, so their heights are measured together. */
export const ThreadRow = memo(function ThreadRow({ ref, row, index, start, clock, actions, isLit }: RowProps) {
  const { t } = useTranslation("thread");
  return (
    <div ref={ref} data-index={index} data-lit={isLit} className={styles.row} style={{ top: start }}>
      {row.day !== null && (
        <p className={styles.day}>
          <span>{clock.day(row.day)}</span>
        </p>
      )}
      {row.kind === "message" && row.unread > 0 && (
        <p className={styles.unread}>
          <span>{t("unread", { count: row.unread })}</span>
        </p>
      )}
      {row.kind === "outgoing" ? (
        <OutgoingBubble outgoing={row.outgoing} clock={clock} />
      ) : (
        <MessageBubble
          message={row.message}
          quoted={row.quoted}
          follows={row.follows}
          clock={clock}
          actions={actions}
        />
      )}
    </div>
  );
});

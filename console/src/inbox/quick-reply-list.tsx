import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import type { QuickReply, useQuickReplies } from "./quick-replies.ts";
import styles from "./quick-reply-list.module.css";

interface ListProps {
  readonly id: string;
  readonly asked: string;
  readonly replies: ReturnType<typeof useQuickReplies>;
  readonly chosen: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (reply: QuickReply) => void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** The list above the text field. The focus stays in the text field. */
export function QuickReplyList({ id, asked, replies, chosen, onPoint, onChoose }: ListProps) {
  const { t } = useTranslation("thread");
  const { found, isPending, isError, hasAny } = replies;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const reply = found[chosen];
  return (
    <div className={styles.panel}>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={t("quick.list")}
        className={styles.list}
        // The text field keeps the focus and handles the keys for the list.
        tabIndex={-1}
      >
        {found.map((one, index) => (
          <div
            key={one.id}
            id={optionId(id, index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={styles.option}
            onPointerMove={() => onPoint(index)}
            // The press must not move the focus out of the text field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(one)}
            onKeyDown={() => {}}
          >
            <span className={styles.name}>/{one.name}</span>
            <span className={styles.text}>{one.text}</span>
          </div>
        ))}
      </div>
      {reply && (
        <div className={styles.preview}>
          <p className={styles.title}>{t("quick.preview")}</p>
          <p className={styles.bubble}>{reply.text}</p>
          {reply.mediaUrl && (
            <p className={styles.withFile}>
              <Icon name="attach" size={16} /> {t("quick.file")}
            </p>
          )}
        </div>
      )}
      <p className={styles.hint} role="status">
        {isError && t("quick.failed")}
        {!isError && !isPending && found.length === 0 && (hasAny ? t("quick.none", { q: asked }) : t("quick.empty"))}
        {found.length > 0 && t("quick.hint")}
      </p>
    </div>
  );
}

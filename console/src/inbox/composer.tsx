import { ActionIcon, Button } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { tellTyping } from "../live/socket.ts";
import type { Chat, Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { timeLeft } from "../shared/time.ts";
import { useNow } from "../shared/use-clock.ts";
import styles from "./composer.module.css";
import { keepDraft, readDraft } from "./drafts.ts";
import { kindOf } from "./kinds.ts";
import { send } from "./outbox.ts";

const maxLength = 4_096;
const countdownEveryMs = 15_000;

interface ComposerProps {
  readonly chat: Chat;
  readonly quoted: Message | null;
  readonly onQuoted: () => void;
}

export function Composer({ chat, quoted, onQuoted }: ComposerProps) {
  const { t } = useTranslation();
  const { id: userId } = useMe();
  const [text, setText] = useState(() => readDraft(userId, chat.chat_id));
  const [isNote, setNote] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const left = useWindow(chat);
  const isOver = chat.ventana_requerida && left === null;
  const maySend = text.trim() !== "" && (isNote || !isOver);
  useEffect(() => {
    if (quoted) field.current?.focus();
  }, [quoted]);

  const write = (value: string): void => {
    setText(value);
    keepDraft(userId, chat.chat_id, value);
    if (!isNote && value !== "") tellTyping(chat.chat_id);
  };
  const submit = (): void => {
    if (!maySend) return;
    // React draws the emptied field before it hears a second click or key.
    send({ chatId: chat.chat_id, text, isNote, replyTo: isNote ? null : (quoted?.id ?? null) });
    write("");
    setNote(false);
    onQuoted();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && quoted) onQuoted();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };

  return (
    <div className={styles.composer} data-note={isNote}>
      <p className={styles.window} data-over={isOver}>
        {isOver && t("composer.windowOver")}
        {left !== null && t("composer.windowLeft", { left })}
      </p>
      {quoted && (
        <div className={styles.quoted}>
          <Icon name="reply" size={16} />
          <span className={styles.quote}>
            {t("composer.replyTo", { name: quoted.autor_nombre })}: {quoted.texto || kindOf(quoted.tipo, t)}
          </span>
          <ActionIcon variant="subtle" color="gray" aria-label={t("composer.cancelReply")} onClick={onQuoted}>
            <Icon name="close" size={16} />
          </ActionIcon>
        </div>
      )}
      <textarea
        ref={field}
        className={styles.field}
        aria-label={t("composer.label")}
        placeholder={t(isNote ? "composer.notePlaceholder" : "composer.placeholder")}
        maxLength={maxLength}
        rows={1}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.buttons}>
        <Button
          size="sm"
          variant={isNote ? "light" : "subtle"}
          color="gray"
          aria-pressed={isNote}
          leftSection={<Icon name="note" size={18} />}
          onClick={() => {
            setNote(!isNote);
            field.current?.focus();
          }}
          className={styles.note}
        >
          {t("composer.note")}
        </Button>
        <Button size="sm" disabled={!maySend} leftSection={<Icon name="send" size={18} />} onClick={submit}>
          {t("composer.send")}
        </Button>
      </div>
    </div>
  );
}

/** How long free text may still be sent; null where it may not, or always. */
function useWindow({ ventana_requerida, ventana_hasta }: Chat): string | null {
  const now = useNow(countdownEveryMs);
  return ventana_requerida && ventana_hasta !== null ? timeLeft(ventana_hasta, now) : null;
}

import { Button } from "@mantine/core";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import "./thread-texts.ts";
import { useMe } from "../app/session.ts";
import { sendTyping } from "../live/socket.ts";
import type { Chat, Message } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import { timeLeft } from "../shared/time.ts";
import { useNow } from "../shared/use-clock.ts";
import { FileTray, useTray } from "./attached.ts";
import { noteLimit, roomIn, useChannelLimits } from "./channel-limits.ts";
import { channelNames } from "./channels.ts";
import styles from "./composer.module.css";
import { ComposerFiles, DropArea } from "./composer-files.tsx";
import { ComposerQuote, ComposerTools, TextRoom, WindowLine } from "./composer-parts.tsx";
import { contentsOf } from "./contents.ts";
import { keepDraft, readDraft, readText } from "./drafts.ts";
import { acceptedOn } from "./file-rules.ts";
import { type OutgoingContent, send } from "./outbox.ts";
import { maxLength, useComposerText } from "./use-composer-text.ts";
import { useQuickList } from "./use-quick-list.tsx";

const TemplateDialog = lazy(async () => ({
  default: (await loadPart(() => import("./template-dialog.tsx"))).TemplateDialog,
}));

const countdownEveryMs = 15_000;

interface ComposerProps {
  readonly chat: Chat;
  readonly quoted: Message | null;
  readonly onQuoted: () => void;
}

export function Composer({ chat, quoted, onQuoted }: ComposerProps) {
  const { t } = useTranslation();
  const { id: userId } = useMe();
  const chatId = chat.chat_id;
  const [draft] = useState(() => readDraft(userId, chatId));
  const [isNote, setNote] = useState(draft.isNote);
  const [choosesTemplate, setChoosesTemplate] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const tray = useMemo(() => new FileTray(userId, chatId), [userId, chatId]);
  const { files } = useTray(tray);
  const left = useWindow(chat);
  const isOver = chat.ventana_requerida && left === null;
  const limits = useChannelLimits(chat);
  const { plantillas: hasTemplates } = limits;
  const channel = channelNames[chat.provider];

  const write = useCallback(
    (value: string): void => {
      keepDraft(userId, chatId, { text: value, isNote });
      if (value !== "") sendTyping(chatId);
    },
    [userId, chatId, isNote],
  );
  const { text, setText, show, insert } = useComposerText(field, draft.text, write);
  /** Returns from a note to the draft of the message. The text of the note remains a draft of its own. */
  const leaveNote = useCallback((): void => {
    setNote(false);
    show(readText(userId, chatId, false));
  }, [userId, chatId, show]);
  const quick = useQuickList(chat, { text, field, isOff: isNote }, (reply, from, to) => {
    insert(reply.text, from, to);
    if (reply.mediaUrl) tray.addStored({ url: reply.mediaUrl, name: reply.name, type: "", bytes: 0 }, limits);
  });
  useEffect(() => {
    if (quoted) field.current?.focus();
  }, [quoted]);

  const ready = files.every(({ url }) => url !== null);
  const isWritten = text.trim() !== "";
  const textLimit = isNote ? noteLimit : limits.texto;
  const contents: OutgoingContent[] = isNote ? [{ kind: "note", text }] : contentsOf(text, tray.stored());
  const room = isWritten ? roomIn(contents, textLimit, chat.provider) : textLimit.maximo;
  const maySend = room >= 0 && (isNote ? isWritten : !isOver && ready && (isWritten || files.length > 0));
  const sendAll = (contents: readonly OutgoingContent[]): void => {
    contents.forEach((content, index) => {
      send({ chatId, content, replyTo: index === 0 && content.kind !== "note" ? (quoted?.id ?? null) : null });
    });
    onQuoted();
    field.current?.focus();
  };
  const submit = (): void => {
    if (!maySend) return;
    // A second click cannot send again: React renders the emptied field before that click.
    sendAll(contents);
    if (!isNote) tray.take();
    setText("");
    if (isNote) leaveNote();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || quick.onKeyDown(event)) return;
    if (event.key === "Escape" && quoted) onQuoted();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    submit();
  };
  const addFiles = useCallback(
    (given: File[]): void => {
      // Files go to the customer, so the text of a note must not go with them.
      if (isNote) leaveNote();
      void tray.add(given, limits);
      field.current?.focus();
    },
    [tray, limits, isNote, leaveNote],
  );
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files];
    // Office programs add a picture to copied text. Only the text is pasted then.
    if (pasted.length === 0 || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    addFiles(pasted);
  };
  const toggleNote = (): void => {
    const other = readText(userId, chatId, !isNote);
    // If there is no draft of the other kind, the typed message becomes a note, or the typed note becomes a message.
    if (other === "") {
      keepDraft(userId, chatId, { text: "", isNote });
      keepDraft(userId, chatId, { text, isNote: !isNote });
    } else show(other);
    setNote(!isNote);
    field.current?.focus();
  };

  return (
    <div className={styles.composer} data-note={isNote}>
      <DropArea onFiles={addFiles} />
      {quick.list}
      <WindowLine
        isOver={isOver}
        left={left}
        isNote={isNote}
        hasTemplates={hasTemplates}
        onTemplates={() => setChoosesTemplate(true)}
      />
      {quoted && !isNote && <ComposerQuote quoted={quoted} onCancel={onQuoted} />}
      {!isNote && <ComposerFiles tray={tray} channel={channel} />}
      <div className={styles.box}>
        <textarea
          ref={field}
          data-composer
          className={styles.field}
          aria-label={t("composer.label")}
          placeholder={t(isNote ? "composer.notePlaceholder" : "composer.placeholder")}
          aria-invalid={room < 0}
          maxLength={maxLength}
          rows={1}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onSelect={quick.onSelect}
          onBlur={quick.close}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          {...quick.aria}
        />
        <TextRoom room={room} limit={textLimit} channel={isNote ? null : channel} />
        <div className={styles.buttons}>
          <ComposerTools
            isNote={isNote}
            accepted={acceptedOn(limits)}
            hasTemplates={hasTemplates}
            onFiles={addFiles}
            onEmoji={(emoji) => insert(emoji)}
            onQuick={() => insert(/(^|\s)$/.test(text.slice(0, field.current?.selectionStart ?? 0)) ? "/" : " /")}
            onTemplates={() => setChoosesTemplate(true)}
            onNote={toggleNote}
          />
          <Button
            size="sm"
            className={styles.send ?? ""}
            disabled={!maySend}
            leftSection={<Icon name="send" size={18} />}
            onClick={submit}
          >
            {t("composer.send")}
          </Button>
        </div>
      </div>
      {choosesTemplate && (
        <Suspense>
          <TemplateDialog
            chat={chat}
            onClose={() => setChoosesTemplate(false)}
            onSend={(content) => {
              setChoosesTemplate(false);
              sendAll([content]);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The time left for free text. Null if the window is not open, or if the channel has no window. */
function useWindow({ ventana_requerida, ventana_hasta }: Chat): string | null {
  const now = useNow(countdownEveryMs);
  return ventana_requerida && ventana_hasta !== null ? timeLeft(ventana_hasta, now) : null;
}

import { ActionIcon, Button, Popover } from "@mantine/core";
import { lazy, Suspense, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Message } from "../shared/api.ts";
import { Icon, type IconName } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import type { TextLimit } from "./channel-limits.ts";
import styles from "./composer.module.css";
import { kindOf } from "./kinds.ts";

const EmojiPicker = lazy(async () => ({ default: (await loadPart(() => import("./emoji-picker.tsx"))).EmojiPicker }));

interface WindowProps {
  readonly isOver: boolean;
  /** The hours and minutes left for free text. Null if the window is not open, or if the channel has no window. */
  readonly left: string | null;
  readonly isNote: boolean;
  readonly hasTemplates: boolean;
  readonly onTemplates: () => void;
}

/** Says what can be sent now, before the user writes. */
export function WindowLine({ isOver, left, isNote, hasTemplates, onTemplates }: WindowProps) {
  const { t } = useTranslation("thread");
  const notice = useRef<HTMLDivElement>(null);
  const height = useRef<number | null>(null);
  // When a customer's message opens the window, the notice keeps its height, so that the messages do not move.
  useLayoutEffect(() => {
    if (isOver) height.current = notice.current?.getBoundingClientRect().height ?? null;
  });
  if (isNote)
    return (
      <p className={styles.window}>
        <Icon name="note" size={16} /> {t("compose.noteHint")}
      </p>
    );
  if (isOver)
    return (
      <div ref={notice} className={styles.over}>
        <Icon name="clock" size={20} />
        <p>{t(hasTemplates ? "compose.windowOver" : "compose.windowOverNoTemplates")}</p>
        {hasTemplates && (
          <Button size="sm" leftSection={<Icon name="template" size={18} />} onClick={onTemplates}>
            {t("compose.chooseTemplate")}
          </Button>
        )}
      </div>
    );
  if (left === null) return null;
  if (height.current !== null)
    return (
      <div className={styles.over} style={{ minHeight: height.current }}>
        <Icon name="clock" size={20} />
        <p title={t("compose.windowTitle")}>{t("compose.windowLeft", { left })}</p>
      </div>
    );
  return (
    <p className={styles.window} title={t("compose.windowTitle")} data-short={/^[01]:/.test(left)}>
      <Icon name="clock" size={14} /> {t("compose.windowLeft", { left })}
    </p>
  );
}

export function ComposerQuote({ quoted, onCancel }: { readonly quoted: Message; readonly onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.quoted}>
      <Icon name="reply" size={16} />
      <span className={styles.quote}>
        <strong>{t("composer.replyTo", { name: quoted.autor_nombre })}</strong>
        <span>{quoted.texto || kindOf(quoted.tipo, t)}</span>
      </span>
      <ActionIcon variant="subtle" color="gray" aria-label={t("composer.cancelReply")} onClick={onCancel}>
        <Icon name="close" size={16} />
      </ActionIcon>
    </div>
  );
}

interface RoomProps {
  /** How much more text fits, in the unit of `limit`. Negative if the text is too long. */
  readonly room: number;
  readonly limit: TextLimit;
  /** The channel's name, or null for a note. */
  readonly channel: string | null;
}

const countFrom = 300;

/** Says how much more text fits, once little room is left, or by how much the text is too long. */
export function TextRoom({ room, limit: { maximo, unidad }, channel }: RoomProps) {
  const { t } = useTranslation("thread");
  if (room >= Math.min(countFrom, maximo / 5)) return null;
  const isOver = room < 0;
  const unit = unidad === "bytes" ? "Bytes" : "";
  return (
    <p className={styles.count} data-over={isOver} role={isOver ? "alert" : "status"}>
      {isOver && channel !== null && `${t(`compose.limit${unit}`, { channel, limit: maximo })} `}
      {t(`compose.${isOver ? "over" : "room"}${unit}`, { count: Math.abs(room) })}
    </p>
  );
}

interface ToolsProps {
  readonly isNote: boolean;
  /** The `accept` attribute for files. */
  readonly accepted: string;
  readonly hasTemplates: boolean;
  readonly onFiles: (files: File[]) => void;
  readonly onEmoji: (emoji: string) => void;
  readonly onQuick: () => void;
  readonly onTemplates: () => void;
  readonly onNote: () => void;
}

export function ComposerTools(props: ToolsProps) {
  const { isNote, accepted, hasTemplates, onFiles, onEmoji, onQuick, onTemplates, onNote } = props;
  const { t } = useTranslation();
  const { t: tThread } = useTranslation("thread");
  const chooser = useRef<HTMLInputElement>(null);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers style a fieldset.
    <div className={styles.tools} role="group" aria-label={tThread("compose.tools")}>
      {!isNote && <Tool icon="attach" name={tThread("compose.attach")} onClick={() => chooser.current?.click()} />}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={accepted}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // Browsers report no change if the same file is chosen again, so the field is emptied.
          event.currentTarget.value = "";
        }}
      />
      <EmojiTool onEmoji={onEmoji} />
      {!isNote && <Tool icon="quick" name={tThread("compose.quick")} onClick={onQuick} />}
      {!isNote && hasTemplates && <Tool icon="template" name={tThread("compose.templates")} onClick={onTemplates} />}
      <button
        type="button"
        className={styles.note}
        data-action="note"
        aria-label={t("composer.note")}
        aria-pressed={isNote}
        title={t("composer.note")}
        onClick={onNote}
      >
        <Icon name="note" size={20} />
        <span className={styles.noteLabel}>{t("composer.note")}</span>
      </button>
    </div>
  );
}

function EmojiTool({ onEmoji }: { readonly onEmoji: (emoji: string) => void }) {
  const { t } = useTranslation("thread");
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-start" shadow="md" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <button
          type="button"
          className={styles.tool}
          aria-label={t("compose.emoji")}
          title={t("compose.emoji")}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="emoji" />
        </button>
      </Popover.Target>
      <Popover.Dropdown p={10}>
        <Suspense fallback={<div className={styles.picker} />}>
          <EmojiPicker
            onPick={(emoji) => {
              setOpen(false);
              onEmoji(emoji);
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly name: string;
  readonly onClick: () => void;
}

const Tool = ({ icon, name, onClick }: ToolProps) => (
  <button type="button" className={styles.tool} aria-label={name} title={name} onClick={onClick}>
    <Icon name={icon} />
  </button>
);

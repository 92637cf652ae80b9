import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Emoji, emojiQuery, groups, keepRecent, recentEmoji } from "./emoji-data.ts";
import styles from "./emoji-picker.module.css";
import { plain } from "./quick-replies.ts";

const perRow = 8;
const mostFound = 160;

interface PickerProps {
  readonly onPick: (emoji: string) => void;
}

export function EmojiPicker({ onPick }: PickerProps) {
  const { t, i18n } = useTranslation("thread");
  const { data: all = [], isError } = useQuery(emojiQuery(i18n.language));
  const [asked, setAsked] = useState("");
  const [group, setGroup] = useState<number>(0);
  const titleId = useId();
  const search = useRef<HTMLInputElement>(null);
  // The popover may have opened before this code was loaded, so the popover cannot set the focus.
  useEffect(() => search.current?.focus({ preventScroll: true }), []);
  const words = plain(asked.trim());
  const found =
    words === "" ? all.filter((one) => one.group === group) : all.filter((one) => one.words.includes(words));
  const recent = recentEmoji().flatMap((unicode) => all.find((one) => one.unicode === unicode) ?? []);
  const pick = ({ unicode }: Emoji): void => {
    keepRecent(unicode);
    onPick(unicode);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers style a fieldset.
    <div className={styles.picker} role="group" aria-labelledby={titleId}>
      <span id={titleId} hidden>
        {t("emoji.title")}
      </span>
      <input
        className={styles.search}
        type="search"
        ref={search}
        aria-label={t("emoji.search")}
        placeholder={t("emoji.search")}
        value={asked}
        onChange={(event) => setAsked(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key === "Enter" && words !== "" && first) pick(first);
        }}
      />
      {words === "" && (
        <div className={styles.groups}>
          {groups.map(([id, sign]) => (
            <button
              key={id}
              type="button"
              className={styles.group}
              aria-label={nameOf(all, id)}
              aria-pressed={id === group}
              onClick={() => setGroup(id)}
            >
              {sign}
            </button>
          ))}
        </div>
      )}
      <div className={styles.scroller}>
        {words === "" && recent.length > 0 && group === 0 && (
          <Grid name={t("emoji.recent")} emoji={recent} onPick={pick} />
        )}
        <Grid name={words === "" ? null : t("emoji.results")} emoji={found.slice(0, mostFound)} onPick={pick} />
        {(isError || (all.length > 0 && found.length === 0)) && <p className={styles.none}>{t("emoji.none")}</p>}
      </div>
    </div>
  );
}

/** The data has no readable names of groups, so the label of the first emoji is used. */
const nameOf = (all: readonly Emoji[], id: number): string =>
  all.find(({ group }) => group === id)?.label ?? String(id);

interface GridProps {
  readonly name: string | null;
  readonly emoji: readonly Emoji[];
  readonly onPick: (emoji: Emoji) => void;
}

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -perRow,
  ArrowDown: perRow,
};

/** The tab key stops here once. Arrow keys move between the emoji. */
function Grid({ name, emoji, onPick }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max(at + step, 0), emoji.length - 1);
    setAt(next);
    (grid.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <>
      {name && <p className={styles.title}>{name}</p>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of its buttons. */}
      <div ref={grid} className={styles.grid} onKeyDown={onKeyDown}>
        {emoji.map((one, index) => (
          <button
            key={one.unicode}
            type="button"
            className={styles.emoji}
            aria-label={one.label}
            title={one.label}
            tabIndex={index === Math.min(at, emoji.length - 1) ? 0 : -1}
            onFocus={() => setAt(index)}
            onClick={() => onPick(one)}
          >
            {one.unicode}
          </button>
        ))}
      </div>
    </>
  );
}

import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { type Branch, type Row, rowsOf } from "./forest.ts";
import type { Step } from "./steps.ts";
import styles from "./tree.module.css";
import { typeIcons, useStepWords } from "./words.ts";

interface TreeProps {
  readonly forest: readonly Branch[];
  readonly steps: readonly Step[];
  /** Whether `forest` is the result of a search. All its branches are then open. */
  readonly isSearch: boolean;
  readonly current: number | null;
  readonly onOpen: (id: number) => void;
  readonly onAdd: (under: number) => void;
}

const rowHeight = 52;

/** The steps as a tree. Rows that are far out of view are not rendered. */
export function StepTree({ forest, steps, isSearch, current, onOpen, onAdd }: TreeProps) {
  const { t } = useTranslation("steps");
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set());
  const [active, setActive] = useState<number | null>(current);
  const scroller = useRef<HTMLDivElement>(null);
  const isMoving = useRef(false);
  const prefix = useId();
  const before = useMemo(() => leadingTo(steps), [steps]);
  const names = useMemo(() => new Map(steps.map(({ id, nombre }) => [id, nombre])), [steps]);
  const rows = useMemo(() => rowsOf(forest, (id) => isSearch || !closed.has(id)), [forest, closed, isSearch]);
  const place = Math.max(
    0,
    rows.findIndex(({ step }) => step.id === active),
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.step.id ?? index,
    overscan: 10,
    // The focused row must stay in the DOM.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), place])]
        .filter((index) => index < rows.length)
        .sort((a, b) => a - b),
  });

  useEffect(() => {
    if (current !== null) setActive(current);
  }, [current]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls where another step is marked, not with each change
  useEffect(() => {
    const index = rows.findIndex(({ step }) => step.id === current);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "auto" });
  }, [current]);
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    document.getElementById(`${prefix}${active}`)?.focus({ preventScroll: true });
  });

  const go = (index: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (!row) return;
    isMoving.current = true;
    setActive(row.step.id);
    virtualizer.scrollToIndex(rows.indexOf(row), { align: "auto" });
  };
  const toggle = ({ step: { id }, isOpen }: Row): void => {
    if (isOpen === null || isSearch) return;
    setClosed((before) => new Set(isOpen ? [...before, id] : [...before].filter((each) => each !== id)));
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[place];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const inward = (): void => (row.isOpen === false ? toggle(row) : row.isOpen ? go(place + 1) : undefined);
    const outward = (): void =>
      row.isOpen && !isSearch
        ? toggle(row)
        : row.parent === null
          ? undefined
          : go(rows.findIndex(({ step }) => step.id === row.parent));
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(place + 1),
      ArrowUp: () => go(place - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: inward,
      ArrowLeft: outward,
      Enter: () => onOpen(row.step.id),
      " ": () => onOpen(row.step.id),
      "+": () => onAdd(row.step.id),
    };
    const act = acts[event.key] ?? letter(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  /** A letter or digit moves to the next step whose name begins with it. */
  const letter = (key: string): (() => void) | undefined => {
    if (!/^[\p{L}\p{N}]$/u.test(key)) return undefined;
    const after = [...rows.slice(place + 1), ...rows.slice(0, place + 1)];
    const found = after.find(({ step }) => step.nombre.toLowerCase().startsWith(key.toLowerCase()));
    return found && (() => go(rows.indexOf(found)));
  };

  return (
    <div ref={scroller} className={styles.scroller}>
      <div
        role="tree"
        aria-label={t("tree.title")}
        onKeyDown={press}
        style={{ height: virtualizer.getTotalSize(), position: "relative" }}
      >
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <TreeRow
              key={key}
              id={`${prefix}${row.step.id}`}
              row={row}
              top={start}
              isEntry={index === place}
              isCurrent={row.step.id === current}
              next={row.step.paso_automatico === null ? undefined : names.get(row.step.paso_automatico)}
              before={row.step.paso_id === null && !row.step.inicio ? before.get(row.step.id) : undefined}
              isLost={row.step.paso_id !== null && !names.has(row.step.paso_id)}
              onToggle={() => toggle(row)}
              onFocus={() => setActive(row.step.id)}
              onOpen={() => onOpen(row.step.id)}
              onAdd={() => onAdd(row.step.id)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Maps a step's id to the name of one step that leads to that step automatically. */
const leadingTo = (steps: readonly Step[]): ReadonlyMap<number | null, string> =>
  new Map(steps.map(({ paso_automatico, nombre }) => [paso_automatico, nombre]));

interface RowProps {
  readonly id: string;
  readonly row: Row;
  readonly top: number;
  readonly isEntry: boolean;
  readonly isCurrent: boolean;
  /** The name of the step that follows this one automatically. */
  readonly next: string | undefined;
  /** The name of a step that leads to this one automatically. Undefined if this step has a parent or starts a flow. */
  readonly before: string | undefined;
  /** Whether the step's parent is archived. */
  readonly isLost: boolean;
  readonly onToggle: () => void;
  readonly onFocus: () => void;
  readonly onOpen: () => void;
  readonly onAdd: () => void;
}

/** Deeper rows are not indented further, so that their names have room. */
const deepest = 8;

function TreeRow({
  id,
  row,
  top,
  isEntry,
  isCurrent,
  next,
  before,
  isLost,
  onToggle,
  onFocus,
  onOpen,
  onAdd,
}: RowProps) {
  const { t } = useTranslation("steps");
  const { t: tCommon } = useTranslation();
  const { type } = useStepWords();
  const { step, level, position, siblings, isOpen } = row;
  const follows = next === undefined ? undefined : t("tree.next", { name: next });
  const from = before === undefined ? undefined : t("tree.after", { name: before });
  const answer = step.iniciador ? tCommon("quoted", { text: step.iniciador }) : undefined;
  const details = [type(step), answer, from, follows].filter(Boolean);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys of all its rows
    <div
      id={id}
      role="treeitem"
      tabIndex={isEntry ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen ?? undefined}
      aria-selected={isCurrent}
      aria-keyshortcuts="+"
      className={styles.row}
      style={{ top, height: rowHeight, "--depth": Math.min(level - 1, deepest) } as CSSProperties}
      onFocus={onFocus}
      onClick={onOpen}
    >
      <span
        className={styles.toggle}
        data-open={isOpen ?? undefined}
        aria-hidden="true"
        onClick={(event) => {
          if (isOpen === null) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {isOpen !== null && <Icon name="forward" size={14} />}
      </span>
      <span className={styles.icon} data-type={step.tipo}>
        <Icon name={typeIcons[step.tipo]} size={16} />
      </span>
      <span className={styles.what}>
        <span className={styles.name}>
          <span>{step.nombre}</span>
          {step.inicio && <span className={styles.mark}>{t("start")}</span>}
          {step.loop && <span className={styles.mark}>{t("repeats")}</span>}
        </span>
        <span className={styles.detail} data-lost={isLost || undefined}>
          {isLost ? t("tree.lost") : details.join(" · ")}
        </span>
      </span>
      {/* Keyboard users have the key `+`, and a button in the step's panel. */}
      <button
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        title={t("addUnder", { name: step.nombre })}
        className={styles.add}
        onClick={(event) => {
          event.stopPropagation();
          onAdd();
        }}
      >
        <Icon name="plus" size={16} />
      </button>
    </div>
  );
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Row } from "./thread-rows.ts";

/** Pixels from the end that count as being there. */
const nearEnd = 80;
/** Pixels above which older messages are asked for: they are there before one reaches them. */
const nearStart = 1_200;
/** Drawings in which the heights of what is shown first are known. */
const settleFrames = 5;
/** Drawings after which a row that a jump asked for is taken for missing. */
const mostFrames = 60;

interface Wishes {
  /** Asks for older messages, if there are any. */
  readonly older: () => unknown;
  /** Key of what the user wrote last: the thread goes to its end with each new one. */
  readonly written: string | undefined;
  /** Index of the row where reading begins, if it is not at the end: the thread opens there. */
  readonly start: number;
}

/** Stays at the newest message while one is there, and at what one reads while anything comes in above or below. */
export function useThreadScroll(rows: readonly Row[], { older, written, start }: Wishes) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const end = useRef(true);
  const top = useRef(0);
  const isPlaced = useRef(false);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    anchorTo: "end",
    scrollEndThreshold: nearEnd,
    paddingStart: 16,
    paddingEnd: 12,
    overscan: 6,
  });

  /** Id of the last message that is shown; infinite at the end, where all are, and 0 until the thread has its place. */
  const [seen, setSeen] = useState(0);
  const look = (): void => {
    const element = scroller.current;
    if (!element || !isPlaced.current) return;
    if (end.current) {
      setSeen(Number.POSITIVE_INFINITY);
      return;
    }
    const bottom = element.scrollTop + element.clientHeight;
    const last = virtualizer.getVirtualItems().findLast((item) => item.end <= bottom);
    const row = last && rows[last.index];
    if (row) setSeen(row.kind === "message" ? row.message.id : Number.POSITIVE_INFINITY);
  };

  const isThere = rows.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: where reading begins counts once, when the thread opens.
  useLayoutEffect(() => {
    if (!isThere) return;
    if (start <= 0) return virtualizer.scrollToEnd();
    // Where less than a page follows it, this ends at the end, too.
    virtualizer.scrollToIndex(start, { align: "start" });
    let frame = 0;
    let timer = requestAnimationFrame(function settle() {
      frame += 1;
      if (frame < settleFrames) {
        timer = requestAnimationFrame(settle);
        return;
      }
      isPlaced.current = true;
      end.current = virtualizer.isAtEnd(nearEnd);
      setAtEnd(end.current);
    });
    return () => cancelAnimationFrame(timer);
  }, [isThere, virtualizer]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what the user writes.
  useLayoutEffect(() => {
    if (written === undefined || !isPlaced.current) return;
    end.current = true;
    virtualizer.scrollToEnd();
  }, [written]);

  useEffect(() => {
    if (!isThere) return;
    if (!isPlaced.current) isPlaced.current = start <= 0 && virtualizer.isAtEnd(nearEnd);
    else if ((virtualizer.scrollOffset ?? nearStart) < nearStart && !virtualizer.isScrolling) older();
    look();
  });

  // What is drawn can turn out higher or lower than it was guessed.
  const total = virtualizer.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is drawn.
  useLayoutEffect(() => {
    if (isPlaced.current && end.current) stayAtEnd(scroller.current);
  }, [total, rows]);

  // A growing composer or a keyboard takes from the thread's height.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const follow = new ResizeObserver(() => {
      if (end.current) stayAtEnd(element);
    });
    follow.observe(element);
    return () => follow.disconnect();
  }, []);

  const onScroll = (): void => {
    const element = scroller.current;
    if (!element || !isPlaced.current) return;
    // What grows below takes the end away without a hand on the scroll bar; only scrolling up leaves it.
    if (element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd) end.current = true;
    else if (element.scrollTop < top.current) end.current = false;
    top.current = element.scrollTop;
    setAtEnd(end.current);
    look();
    if (element.scrollTop < nearStart) older();
  };

  const shown = useRef(rows);
  useEffect(() => {
    shown.current = rows;
  }, [rows]);
  /** Whether there is such a row: it is drawn a moment after its messages were loaded. */
  const toRow = async (key: string): Promise<boolean> => {
    for (let frame = 0; frame < mostFrames; frame += 1) {
      const index = shown.current.findIndex((row) => row.key === key);
      if (index >= 0) {
        end.current = false;
        virtualizer.scrollToIndex(index, { align: "center" });
        // What had the focus may be scrolled out of the page.
        scroller.current?.focus({ preventScroll: true });
        return true;
      }
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
    return false;
  };
  const toEnd = (): void => {
    end.current = true;
    virtualizer.scrollToEnd();
    scroller.current?.focus({ preventScroll: true });
  };
  return { scroller, virtualizer, isAtEnd, seen, onScroll, toRow, toEnd };
}

function stayAtEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

const lineHeight = 21;
const perLine = 52;
const mediaHeights: Readonly<Record<string, number>> = {
  image: 262,
  sticker: 140,
  video: 192,
  audio: 52,
  document: 62,
  location: 96,
  contacts: 70,
  order: 140,
};

/** A guess, until it is drawn. */
function heightOf(row: Row | undefined): number {
  if (!row) return 0;
  const text = row.kind === "message" ? row.message.texto : row.outgoing.content.text;
  const lines = text.split("\n").reduce((sum, line) => sum + Math.ceil(line.length / perLine), 0);
  const base = 40 + (row.day === null ? 0 : 48) + lines * lineHeight;
  if (row.kind === "outgoing") return base;
  const { message, quoted, follows } = row;
  const media = message.adjunto || message.tipo === "location" ? (mediaHeights[message.tipo] ?? 0) : 0;
  return base + media + (quoted === undefined ? 0 : 54) + (follows ? 0 : 24) + (message.reacciones.length > 0 ? 16 : 0);
}

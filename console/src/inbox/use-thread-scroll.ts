import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Row } from "./thread-rows.ts";

/** Pixels from the end that count as being there. */
const nearEnd = 80;
/** Pixels above which older messages are asked for: they are there before one reaches them. */
const nearStart = 1_200;
/** Drawings after which a row that a jump asked for is taken for missing. */
const mostFrames = 60;

interface Wishes {
  /** Asks for older messages, if there are any. */
  readonly older: () => unknown;
  /** Key of what the user wrote last: the thread goes to its end with each new one. */
  readonly written: string | undefined;
}

/** Stays at the newest message while one is there, and at what one reads while anything comes in above or below. */
export function useThreadScroll(rows: readonly Row[], { older, written }: Wishes) {
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

  const isThere = rows.length > 0;
  useLayoutEffect(() => {
    if (isThere) virtualizer.scrollToEnd();
  }, [isThere, virtualizer]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what the user writes.
  useLayoutEffect(() => {
    if (written === undefined || !isPlaced.current) return;
    end.current = true;
    virtualizer.scrollToEnd();
  }, [written]);

  useEffect(() => {
    if (!isThere) return;
    if (!isPlaced.current) isPlaced.current = virtualizer.isAtEnd(nearEnd);
    else if ((virtualizer.scrollOffset ?? nearStart) < nearStart && !virtualizer.isScrolling) older();
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
  return { scroller, virtualizer, isAtEnd, onScroll, toRow, toEnd };
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

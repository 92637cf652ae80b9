import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Row } from "./thread-rows.ts";

/** A thread counts as scrolled to its end within this many pixels of the end. */
const nearEnd = 80;
/** Older messages are loaded within this many pixels of the start, so that the user need not wait for them. */
const nearStart = 1_200;
/** The number of frames after which the virtualizer has measured the first visible rows. */
const settleFrames = 5;
/** The number of frames that a jump waits for its row. */
const mostFrames = 60;

interface Wishes {
  /** Loads older messages if there are any. */
  readonly older: () => unknown;
  /** The key of the user's last message. The thread scrolls to its end when this key changes. */
  readonly written: string | undefined;
  /** The index of the row at which the thread opens, or -1 for the end. */
  readonly start: number;
}

/** A thread at its end scrolls to new messages. If the user has scrolled up, the visible rows stay in place. */
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

  /** The id of the last visible message. It is infinity at the thread's end, and 0 until the thread is at `start`. */
  const [seen, setSeen] = useState(0);
  const updateSeen = (): void => {
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: `start` only counts when the thread opens.
  useLayoutEffect(() => {
    if (!isThere) return;
    if (start < 0) return virtualizer.scrollToEnd();
    // If the rows from `start` on do not fill the view, this scrolls to the end.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs after each new message of the user.
  useLayoutEffect(() => {
    if (written === undefined || !isPlaced.current) return;
    end.current = true;
    virtualizer.scrollToEnd();
  }, [written]);

  useEffect(() => {
    if (!isThere) return;
    if (!isPlaced.current) isPlaced.current = start < 0 && virtualizer.isAtEnd(nearEnd);
    else if ((virtualizer.scrollOffset ?? nearStart) < nearStart && !virtualizer.isScrolling) older();
    updateSeen();
  });

  // Measured rows can be taller or shorter than estimated.
  const total = virtualizer.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs after each change of the rows or their heights.
  useLayoutEffect(() => {
    if (isPlaced.current && end.current) stayAtEnd(scroller.current);
  }, [total, rows]);

  // The visible part of the thread shrinks when the composer grows or a phone's keyboard opens.
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
    // New rows also push the end out of view, but the user leaves the end only by scrolling up.
    if (element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd) end.current = true;
    else if (element.scrollTop < top.current) end.current = false;
    top.current = element.scrollTop;
    setAtEnd(end.current);
    updateSeen();
    if (element.scrollTop < nearStart) older();
  };

  const shown = useRef(rows);
  useEffect(() => {
    shown.current = rows;
  }, [rows]);
  /** Scrolls to a row, which may appear a moment after its message was loaded. Returns whether it appeared. */
  const toRow = async (key: string): Promise<boolean> => {
    for (let frame = 0; frame < mostFrames; frame += 1) {
      const index = shown.current.findIndex((row) => row.key === key);
      if (index >= 0) {
        end.current = false;
        virtualizer.scrollToIndex(index, { align: "center" });
        // The focused element may be removed when it is scrolled out of view.
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

/** Estimates the height of a row until it is rendered and measured. */
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

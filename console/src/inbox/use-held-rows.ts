import { type RefObject, useEffect, useRef, useState } from "react";
import type { Chat } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import { chatKey, isBefore } from "./chat-lists.ts";

interface HeldRows {
  readonly rows: readonly Chat[];
  /** The number of chats that arrived or moved up while the order was held. */
  readonly news: number;
  readonly release: () => void;
}

/** The held rows in their order, followed by the rows of further pages. */
function arranged(held: readonly Chat[], rows: readonly Chat[]): { rows: Chat[]; news: number } {
  const now = new Map(rows.map((chat) => [chat.chat_id, chat]));
  const heldIds = new Set(held.map(({ chat_id }) => chat_id));
  const last = held.at(-1);
  const unknown = rows.filter(({ chat_id }) => !heldIds.has(chat_id));
  const later = unknown.filter((chat) => last !== undefined && isBefore(last, chat));
  const risen = held.filter(({ chat_id, ultimo_mensaje }, index) => {
    const at = now.get(chat_id)?.ultimo_mensaje ?? "";
    return index > 0 && at > (ultimo_mensaje ?? "");
  });
  return { rows: [...held, ...later], news: unknown.length - later.length + risen.length };
}

/** A chat that the user may no longer see is not shown, even while the order is held. */
const isGone = ({ chat_id }: Chat): boolean => queryClient.getQueryData(chatKey(chat_id)) === null;

/**
 * Rows keep their places while the user points at the list, uses it by keyboard or has scrolled it, so that no click
 * hits the wrong row. If the user types elsewhere, a mouse that rests on the list does not count.
 */
export function useHeldRows(rows: readonly Chat[], scroller: RefObject<HTMLElement | null>): HeldRows {
  const [isHeld, setHeld] = useState(false);
  const held = useRef<readonly Chat[] | null>(null);
  useHolding(scroller, setHeld);

  if (!isHeld) {
    held.current = null;
    return { rows, news: 0, release: () => {} };
  }
  held.current ??= rows;
  const { rows: inOrder, news } = arranged(held.current, rows);
  held.current = inOrder;
  const now = new Map(rows.map((chat) => [chat.chat_id, chat]));
  return {
    rows: inOrder.map((chat) => now.get(chat.chat_id) ?? chat).filter((chat) => !isGone(chat)),
    news,
    release: () => {
      held.current = null;
      setHeld(false);
      scroller.current?.scrollTo({ top: 0 });
    },
  };
}

function useHolding(scroller: RefObject<HTMLElement | null>, setHeld: (held: boolean) => void): void {
  useEffect(() => {
    const list = scroller.current;
    if (!list) return;
    let isPointed = false;
    const judge = (): void => setHeld(isPointed || list.scrollTop > 0 || list.querySelector(":focus-visible") !== null);
    const point = ({ pointerType }: PointerEvent): void => {
      isPointed = pointerType === "mouse";
      judge();
    };
    const leave = (): void => {
      isPointed = false;
      judge();
    };
    const type = ({ target }: KeyboardEvent): void => {
      if (!(target instanceof Node) || !list.contains(target)) leave();
    };
    const ends = new AbortController();
    const { signal } = ends;
    list.addEventListener("pointermove", point, { signal, passive: true });
    list.addEventListener("pointerleave", leave, { signal });
    list.addEventListener("scroll", judge, { signal, passive: true });
    list.addEventListener("focusin", judge, { signal });
    // During `focusout` the new element does not have the focus yet.
    list.addEventListener("focusout", () => queueMicrotask(judge), { signal });
    document.addEventListener("keydown", type, { signal });
    return () => ends.abort();
  }, [scroller, setHeld]);
}

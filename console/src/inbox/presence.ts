import { useSyncExternalStore } from "react";
import { Listeners } from "../shared/listeners.ts";

interface Colleague {
  readonly id: number;
  readonly nombre: string;
}

interface Presence {
  readonly viewing: readonly Colleague[];
  readonly typing: Colleague | null;
}

const none: Presence = { viewing: [], typing: null };
const shownMs = 4_000;
const chats = new Map<number, Presence>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Listeners();

function change(chatId: number, part: Partial<Presence>): void {
  const next = { ...(chats.get(chatId) ?? none), ...part };
  if (next.typing === null && next.viewing.length === 0) chats.delete(chatId);
  else chats.set(chatId, next);
  listeners.notify();
}

export const setViewing = (chatId: number, viewing: readonly Colleague[]): void => change(chatId, { viewing });

export function setTyping(chatId: number, typing: Colleague): void {
  change(chatId, { typing });
  clearTimeout(timers.get(chatId));
  timers.set(
    chatId,
    setTimeout(() => {
      timers.delete(chatId);
      change(chatId, { typing: null });
    }, shownMs),
  );
}

/** The users who view a chat, and the user who types in it. */
export const usePresence = (chatId: number): Presence =>
  useSyncExternalStore(listeners.subscribe, () => chats.get(chatId) ?? none);

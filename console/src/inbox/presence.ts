import { useSyncExternalStore } from "react";

interface Colleague {
  readonly id: number;
  readonly nombre: string;
}

interface Presence {
  readonly viewing: readonly Colleague[];
  readonly typing: Colleague | null;
}

const nobody: Presence = { viewing: [], typing: null };
const shownMs = 4_000;
const chats = new Map<number, Presence>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function change(chatId: number, part: Partial<Presence>): void {
  const next = { ...(chats.get(chatId) ?? nobody), ...part };
  if (next.typing === null && next.viewing.length === 0) chats.delete(chatId);
  else chats.set(chatId, next);
  for (const listener of listeners) listener();
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

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Who else looks at a chat, and who writes in it. */
export const usePresence = (chatId: number): Presence =>
  useSyncExternalStore(subscribe, () => chats.get(chatId) ?? nobody);

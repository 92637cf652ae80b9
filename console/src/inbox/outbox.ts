import { useSyncExternalStore } from "react";
import { Listeners } from "../shared/listeners.ts";
import { newKey } from "../shared/new-key.ts";
import { isOpenReason, type Outgoing, OutgoingStore } from "./outgoing.ts";
import { post } from "./post-message.ts";
import { showFailure } from "./refusals.ts";
import { applyToThread, newestIdIn, refreshThread } from "./threads.ts";

export type { Outgoing, OutgoingContent, StoredFile } from "./outgoing.ts";

const hourMs = 60 * 60 * 1_000;
/** Messages older than this are not sent automatically, because the agent may no longer want them. */
const staleMs = 12 * hourMs;
/** The service remembers keys for a day. With an older key, a message could be sent twice. */
const keyLifeMs = 23 * hourMs;
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000];
/** After this many failures of the service, a message is set aside, so that the messages behind it are sent. */
const mostTroubles = 5;
const nothing: readonly Outgoing[] = [];

/** The queue of one chat. Its messages are sent in order. */
interface Line {
  isWorking: boolean;
  pauses: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

let userId = 0;
let store = new OutgoingStore(0);
let kept: readonly Outgoing[] = nothing;
/** The keys of messages that the browser could not store. Only this page has these messages. */
let inMemory = new Set<string>();
let troubles = new Map<string, number>();
let lines = new Map<number, Line>();
const listeners = new Listeners();

function show(next: readonly Outgoing[]): void {
  kept = next.length === 0 ? nothing : [...next].sort((a, b) => a.place - b.place);
  listeners.notify();
}

function keep(one: Outgoing): void {
  if (store.write(one)) inMemory.delete(one.key);
  else inMemory.add(one.key);
  show([...kept.filter(({ key }) => key !== one.key), one]);
}

export function discard(key: string): void {
  store.remove(key);
  inMemory.delete(key);
  troubles.delete(key);
  show(kept.filter((one) => one.key !== key));
}

/** Sends the messages that the user's earlier pages left unsent, and adopts changes by the user's other pages. */
export function openOutbox(ofUser: number): () => void {
  userId = ofUser;
  store = new OutgoingStore(ofUser);
  show(store.all());
  for (const one of kept) if (isStale(one)) setAside(one, "stale");
  const follow = ({ key: name }: StorageEvent): void => {
    const key = store.keyIn(name);
    if (key === null) return;
    const one = store.read(key);
    show([...kept.filter((other) => other.key !== key), ...(one ? [one] : [])]);
    kickOutbox();
  };
  window.addEventListener("storage", follow);
  window.addEventListener("online", kickOutbox);
  kickOutbox();
  return () => {
    window.removeEventListener("storage", follow);
    window.removeEventListener("online", kickOutbox);
    for (const { timer } of lines.values()) clearTimeout(timer);
    userId = 0;
    lines = new Map();
    troubles = new Map();
    inMemory = new Set();
    kept = nothing;
  };
}

const isStale = ({ at, refusal }: Outgoing): boolean => refusal === null && Date.now() - Date.parse(at) > staleMs;

/** Whether the service may have forgotten the message's key. */
export const isKeyOver = ({ keyAt, at }: Outgoing): boolean => Date.now() - Date.parse(keyAt ?? at) > keyLifeMs;

const setAside = (one: Outgoing, refusal: string): void => keep({ ...one, refusal });

export function send(message: Pick<Outgoing, "chatId" | "content" | "replyTo">): void {
  const last = kept.at(-1)?.place ?? 0;
  keep({
    ...message,
    key: newKey(),
    keyAt: new Date().toISOString(),
    place: Math.max(last + 1, Date.now()),
    after: newestIdIn(message.chatId),
    at: new Date().toISOString(),
    refusal: null,
  });
  kickOutbox();
}

/**
 * Sends the message again. While the service knows the old key, the message keeps it and cannot be sent twice. After a
 * refusal or `doubt`, the message gets a new key, since the service would only repeat its answer to the old key.
 */
export function retry(key: string): void {
  const one = kept.find((other) => other.key === key);
  if (!one || isWaiting(one)) return;
  const at = new Date().toISOString();
  const isKeyUseful = isOpenReason(one.refusal) && one.refusal !== "doubt" && !isKeyOver(one);
  const own = isKeyUseful ? { key, keyAt: one.keyAt ?? one.at } : { key: newKey(), keyAt: at };
  if (own.key === key) troubles.delete(key);
  else discard(key);
  keep({ ...one, ...own, at, refusal: null });
  kickOutbox();
}

/** Sends waiting messages at once, even during a pause after a failure. */
export function kickOutbox(): void {
  for (const chatId of new Set(kept.filter(isWaiting).map((one) => one.chatId))) {
    const line = lines.get(chatId) ?? { isWorking: false, pauses: 0, timer: undefined };
    lines.set(chatId, line);
    clearTimeout(line.timer);
    line.pauses = 0;
    void work(chatId, line);
  }
}

const isWaiting = ({ refusal }: Outgoing): boolean => refusal === null;

/** With `navigator.locks`, only one of the user's pages sends for a chat at a time. So the messages stay in order. */
async function work(chatId: number, line: Line): Promise<void> {
  if (line.isWorking || userId === 0) return;
  line.isWorking = true;
  const ofUser = userId;
  const isOver = (): boolean => ofUser !== userId;
  // `isWorking` becomes false before the lock is released. So even a message that is written between these two steps
  // requests the lock and is sent.
  const sending = () =>
    sendAll(chatId, line, isOver).finally(() => {
      line.isWorking = false;
    });
  if (navigator.locks) await navigator.locks.request(`recado.outbox.${ofUser}.${chatId}`, sending);
  else await sending();
}

async function sendAll(chatId: number, line: Line, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const next = kept.find((one) => one.chatId === chatId && isWaiting(one));
    if (!next) return;
    // Another page may have sent or discarded the message.
    if (!inMemory.has(next.key) && store.read(next.key) === null) {
      discard(next.key);
      continue;
    }
    if (isKeyOver(next) || isStale(next)) {
      setAside(next, "stale");
      continue;
    }
    const outcome = await post(next);
    if (isOver()) return;
    if (outcome.kind === "unreached" || (outcome.kind === "trouble" && !tooMuch(next))) {
      line.timer = setTimeout(() => void work(chatId, line), pausesMs[Math.min(line.pauses, pausesMs.length - 1)]);
      line.pauses += 1;
      return;
    }
    line.pauses = 0;
    if (outcome.kind === "sent") {
      applyToThread({ kind: "new", chatId, message: outcome.message });
      discard(next.key);
      // Raises `after`, so that the thread does not take the sent message for a waiting one with the same text.
      for (const one of kept)
        if (one.chatId === chatId && one.after < outcome.message.id) keep({ ...one, after: outcome.message.id });
    } else if (outcome.kind === "sent-unseen") {
      void refreshThread(chatId);
      discard(next.key);
    } else setAside(next, outcome.kind === "refused" ? showFailure(outcome.error) : outcome.kind);
  }
}

function tooMuch({ key }: Outgoing): boolean {
  const count = (troubles.get(key) ?? 0) + 1;
  troubles.set(key, count);
  return count >= mostTroubles;
}

/** All unsent messages in the order in which they were written. */
export const useOutbox = (): readonly Outgoing[] => useSyncExternalStore(listeners.subscribe, () => kept);

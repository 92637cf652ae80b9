import { useSyncExternalStore } from "react";
import { answered, api, type Message, Refused } from "../shared/api.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { storage } from "../shared/storage.ts";
import { showFailure } from "./refusals.ts";
import { applyToThread, threadKey } from "./threads.ts";

/** A message on its way to the service. It is kept by the browser until the service has answered for good. */
export interface Outgoing {
  /** The `Idempotency-Key`: with one key the service sends once, however often it is asked. */
  readonly key: string;
  readonly chatId: number;
  readonly text: string;
  readonly isNote: boolean;
  readonly replyTo: number | null;
  /** ISO 8601. */
  readonly at: string;
  /** Why it was refused; null while it waits or is being sent. */
  readonly refusal: string | null;
}

/** The service forgets keys after a day; what waited long may also be no longer what the agent wants to say. */
const staleMs = 12 * 60 * 60 * 1_000;
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000];
const nobody: readonly Outgoing[] = [];

let userId = 0;
let kept: readonly Outgoing[] = nobody;
let isWorking = false;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const name = (): string => `recado.outbox.${userId}`;

function read(): readonly Outgoing[] {
  try {
    const stored: unknown = JSON.parse(storage.get(name()) ?? "[]");
    return Array.isArray(stored) ? stored : nobody;
  } catch {
    return nobody;
  }
}

/** Reads first: another page of the same user may have changed it. */
function change(by: (before: readonly Outgoing[]) => readonly Outgoing[]): void {
  kept = by(merged(read(), kept));
  storage.set(name(), kept.length === 0 ? null : JSON.stringify(kept));
  for (const listener of listeners) listener();
}

/** Where the browser keeps nothing, what this page has in memory holds. */
const merged = (stored: readonly Outgoing[], own: readonly Outgoing[]): readonly Outgoing[] =>
  stored.length === 0 && storage.get(name()) === null && !canStore ? own : stored;

const canStore = (() => {
  storage.set("recado.probe", "1");
  const works = storage.get("recado.probe") === "1";
  storage.set("recado.probe", null);
  return works;
})();

/** Takes up what an earlier page of this user left, and follows what other pages of the user do. */
export function openOutbox(ofUser: number): () => void {
  userId = ofUser;
  kept = read().map((one) => (isStale(one) && one.refusal === null ? { ...one, refusal: "stale" } : one));
  const follow = (event: StorageEvent): void => {
    if (event.key !== name()) return;
    kept = read();
    for (const listener of listeners) listener();
    kickOutbox();
  };
  window.addEventListener("storage", follow);
  window.addEventListener("online", kickOutbox);
  change((all) => all.map((one) => kept.find(({ key }) => key === one.key) ?? one));
  kickOutbox();
  return () => {
    window.removeEventListener("storage", follow);
    window.removeEventListener("online", kickOutbox);
    clearTimeout(timer);
    userId = 0;
    kept = nobody;
  };
}

const isStale = ({ at }: Outgoing): boolean => Date.now() - Date.parse(at) > staleMs;

/** `randomUUID` is missing where the page came without https. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export function send(message: Pick<Outgoing, "chatId" | "text" | "isNote" | "replyTo">): void {
  const added = { ...message, key: newKey(), at: new Date().toISOString(), refusal: null };
  change((all) => [...all, added]);
  kickOutbox();
}

export const discard = (key: string): void => change((all) => all.filter((one) => one.key !== key));

/** With the same key: had it got through after all, nothing is sent again. */
export function retry(key: string): void {
  const at = new Date().toISOString();
  change((all) => all.map((one) => (one.key === key ? { ...one, at, refusal: null } : one)));
  kickOutbox();
}

/** Sends what waits, without waiting for the end of a pause. */
export function kickOutbox(): void {
  clearTimeout(timer);
  failures = 0;
  void work();
}

/** One page of the user sends at a time, so that messages keep their order. */
async function work(): Promise<void> {
  if (isWorking || userId === 0) return;
  isWorking = true;
  try {
    if (navigator.locks) await navigator.locks.request(name(), sendAll);
    else await sendAll();
  } finally {
    isWorking = false;
  }
}

async function sendAll(): Promise<void> {
  const ofUser = userId;
  for (;;) {
    if (ofUser !== userId || ofUser === 0) return;
    const next = merged(read(), kept).find(({ refusal }) => refusal === null);
    if (!next) return;
    const outcome = await post(next);
    if (ofUser !== userId) return;
    if (outcome === "again") {
      timer = setTimeout(() => void work(), pausesMs[Math.min(failures, pausesMs.length - 1)]);
      failures += 1;
      return;
    }
    failures = 0;
    settle(next, outcome);
  }
}

type Outcome = { readonly sent: Message } | { readonly refused: string } | "again" | "lost-sight";

function settle(one: Outgoing, outcome: Exclude<Outcome, "again">): void {
  if (outcome === "lost-sight") void queryClient.invalidateQueries({ queryKey: threadKey(one.chatId) });
  else if ("sent" in outcome) applyToThread({ kind: "new", chatId: one.chatId, message: outcome.sent });
  if (outcome === "lost-sight" || "sent" in outcome) discard(one.key);
  else change((all) => all.map((other) => (other.key === one.key ? { ...other, refusal: outcome.refused } : other)));
}

/** Answers that say nothing of the message: it is asked again, under its key. */
const passing = new Set([401, 408, 429, 500, 502, 503, 504]);

async function post({ key, chatId, text, isNote, replyTo }: Outgoing): Promise<Outcome> {
  const body = { ...(isNote ? { nota: text } : { texto: text }), ...(replyTo !== null && { responde_a: replyTo }) };
  const params = { path: { id: chatId }, header: { "Idempotency-Key": key } };
  try {
    return { sent: await answered(api.POST("/chats/{id}/messages", { params, body })) };
  } catch (error) {
    if (error instanceof Refused && error.status === 401) queryClient.setQueryData(meKey, null);
    if (!(error instanceof Refused) || passing.has(error.status) || error.code === "request_under_way") return "again";
    // It was sent; what the service answered then is gone.
    if (error.code === "answer_not_kept" || error.code === "answer_erased") return "lost-sight";
    return { refused: showFailure(error) };
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useOutbox = (): readonly Outgoing[] => useSyncExternalStore(subscribe, () => kept);

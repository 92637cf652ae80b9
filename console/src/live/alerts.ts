import { useSyncExternalStore } from "react";
import "../inbox/inbox-texts.ts";
import { i18n } from "../app/i18n.ts";
import type { Chat, Me } from "../shared/api.ts";
import { nameOf } from "../shared/customer.ts";
import { Listeners } from "../shared/listeners.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { storage } from "../shared/storage.ts";

const storedAs = "recado.alerts";
const listeners = new Listeners();
const permission = (): NotificationPermission => ("Notification" in window ? Notification.permission : "denied");

type AlertState = "on" | "off" | "denied";

function alertState(): AlertState {
  if (permission() === "denied") return "denied";
  return permission() === "granted" && storage.get(storedAs) === "on" ? "on" : "off";
}

export const useAlertState = (): AlertState => useSyncExternalStore(listeners.subscribe, alertState);

/** Must be called by a click, since browsers refuse the permission and the sound without a click. */
export async function switchAlerts(on: boolean): Promise<void> {
  storage.set(storedAs, on ? "on" : null);
  if (on && permission() === "default") await Notification.requestPermission();
  listeners.notify();
}

/** While the user sees a chat, the page holds a lock, so that the browser's other pages do not notify of the chat. */
let releaseLock: (() => void) | undefined;
let shown: number | null = null;
const lockOf = (chatId: number): string => `recado.look.${chatId}`;

function updateLock(): void {
  releaseLock?.();
  releaseLock = undefined;
  if (shown === null || !document.hasFocus() || document.visibilityState !== "visible") return;
  const released = new Promise<void>((release) => {
    releaseLock = release;
  });
  void navigator.locks?.request(lockOf(shown), { mode: "shared" }, () => released);
}

for (const change of ["focus", "blur"]) window.addEventListener(change, updateLock);
document.addEventListener("visibilitychange", updateLock);

export function setShown(chatId: number | null): void {
  shown = chatId;
  updateLock();
}

/** After one page notifies of a message, the browser's other pages do not notify of it for this many milliseconds. */
const claimMs = 10_000;

async function isFirst(name: string): Promise<boolean> {
  if (!navigator.locks) return true;
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null);
      if (lock) await new Promise((end) => setTimeout(end, claimMs));
    });
  });
}

async function isSeen(chatId: number): Promise<boolean> {
  if (shown === chatId && document.hasFocus()) return true;
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === lockOf(chatId));
}

let openChat: (chatId: number) => void = () => {};

/** Sets what a click on a notification does. */
export function onAlertOpened(open: (chatId: number) => void): void {
  openChat = open;
}

/** For each chat id: the id of the newest message that this page handled, with or without a notification. */
const alerted = new Map<number, number>();

/** Notifies of a customer's message if alerts are on, and the chat is the user's own or has no agent. */
export async function alertOf(chat: Chat): Promise<void> {
  const { mensaje, chat_id: id, soporte_id: agent } = chat;
  const me = queryClient.getQueryData<Me | null>(meKey);
  if (alertState() !== "on" || !me || mensaje?.direccion !== "entrante" || chat.no_leidos === 0) return;
  if ((agent !== null && agent !== me.id) || (alerted.get(id) ?? 0) >= mensaje.id) return;
  alerted.set(id, mensaje.id);
  if ((await isSeen(id)) || !(await isFirst(`recado.alert.${mensaje.id}`))) return;
  const body = mensaje.texto || i18n.t("newMessage", { ns: "inbox" });
  const note = notification(nameOf(chat.contacto, i18n.t), {
    body,
    tag: `recado.${id}`,
    icon: "/console/icon.svg",
    silent: true,
  });
  chime();
  if (!note) return;
  note.onclick = () => {
    window.focus();
    openChat(id);
    note.close();
  };
}

/** Returns null if only service workers can show notifications, as in Chrome on Android. */
function notification(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}

const chimePauseMs = 2_000;
let chimedAt = 0;
let audio: AudioContext | undefined;

/** Plays two soft notes, but only once for messages in quick succession. */
function chime(): void {
  if (Date.now() - chimedAt < chimePauseMs) return;
  chimedAt = Date.now();
  audio ??= new AudioContext();
  void audio.resume();
  for (const [index, frequency] of [660, 880].entries()) {
    const start = audio.currentTime + index * 0.12;
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.12, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.3);
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.32);
  }
}

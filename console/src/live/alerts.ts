import { useSyncExternalStore } from "react";
import "../inbox/inbox-texts.ts";
import { i18n } from "../app/i18n.ts";
import { nameOf } from "../inbox/names.ts";
import type { Chat, Me } from "../shared/api.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { storage } from "../shared/storage.ts";

const storedAs = "recado.alerts";
const listeners = new Set<() => void>();
const permission = (): NotificationPermission => ("Notification" in window ? Notification.permission : "denied");

export type AlertState = "on" | "off" | "denied";

function alertState(): AlertState {
  if (permission() === "denied") return "denied";
  return permission() === "granted" && storage.get(storedAs) === "on" ? "on" : "off";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAlertState = (): AlertState => useSyncExternalStore(subscribe, alertState);

/** Only a click of the user asks for the permission, and starts sound. */
export async function switchAlerts(on: boolean): Promise<void> {
  storage.set(storedAs, on ? "on" : null);
  if (on && permission() === "default") await Notification.requestPermission();
  for (const listener of listeners) listener();
}

/** The chat that this page shows while somebody looks at it: a lock that all pages of the browser can see. */
let endLook: (() => void) | undefined;
let shown: number | null = null;
const lookOf = (chatId: number): string => `recado.look.${chatId}`;

function look(): void {
  endLook?.();
  endLook = undefined;
  if (shown === null || !document.hasFocus() || document.visibilityState !== "visible") return;
  const until = new Promise<void>((end) => {
    endLook = end;
  });
  void navigator.locks?.request(lookOf(shown), { mode: "shared" }, () => until);
}

for (const change of ["focus", "blur"]) window.addEventListener(change, look);
document.addEventListener("visibilitychange", look);

export function setShown(chatId: number | null): void {
  shown = chatId;
  look();
}

/** Of several pages only the first that claims a message tells of it. */
const claimMs = 10_000;

async function isFirst(name: string): Promise<boolean> {
  if (!navigator.locks) return true;
  return new Promise((tell) => {
    void navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      tell(lock !== null);
      if (lock) await new Promise((end) => setTimeout(end, claimMs));
    });
  });
}

async function isLookedAt(chatId: number): Promise<boolean> {
  if (shown === chatId && document.hasFocus()) return true;
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === lookOf(chatId));
}

let openChat: (chatId: number) => void = () => {};

/** What a click on a notification does. */
export function onAlertOpened(open: (chatId: number) => void): void {
  openChat = open;
}

const told = new Map<number, number>();

/** Tells of what a customer wrote, if the user wants it and the chat is theirs or without an agent. */
export async function alertOf(chat: Chat): Promise<void> {
  const { mensaje, chat_id: id, soporte_id: agent } = chat;
  const me = queryClient.getQueryData<Me | null>(meKey);
  if (alertState() !== "on" || !me || mensaje?.direccion !== "entrante" || chat.no_leidos === 0) return;
  if ((agent !== null && agent !== me.id) || (told.get(id) ?? 0) >= mensaje.id) return;
  told.set(id, mensaje.id);
  if ((await isLookedAt(id)) || !(await isFirst(`recado.alert.${mensaje.id}`))) return;
  const body = mensaje.texto || i18n.t("newMessage", { ns: "inbox" });
  const note = new Notification(nameOf(chat.contacto), {
    body,
    tag: `recado.${id}`,
    icon: "/console/icon.svg",
    silent: true,
  });
  note.onclick = () => {
    window.focus();
    openChat(id);
    note.close();
  };
  chime();
}

const chimePauseMs = 2_000;
let chimedAt = 0;
let audio: AudioContext | undefined;

/** Two soft notes, once for many messages. */
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

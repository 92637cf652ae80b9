import { useEffect, useRef, useSyncExternalStore } from "react";
import { storage } from "../shared/storage.ts";

/** All keys of the inbox, as the dialog lists them. */
export const shortcutKeys = ["j", "k", "/", "r", "n", "t", "a", "c", "i", "?"] as const;
export type ShortcutKey = (typeof shortcutKeys)[number];
type Shortcuts = Partial<Record<ShortcutKey, () => void>>;

const storedAs = "recado.shortcuts";
let isOn = storage.get(storedAs) !== "off";
const listeners = new Set<() => void>();

export function switchShortcuts(on: boolean): void {
  isOn = on;
  storage.set(storedAs, on ? null : "off");
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, () => isOn);

const written = "input, textarea, select, [contenteditable]:not([contenteditable=false])";
const layers = "[role=dialog], [role=menu], [role=listbox]";

/** While one writes, or something lies over the page, keys mean what they mean there. */
function isFree({ target, isComposing, defaultPrevented, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (isComposing || defaultPrevented || ctrlKey || metaKey || altKey) return false;
  if (target instanceof Element && target.closest(written)) return false;
  return [...document.querySelectorAll(layers)].every((layer) => !layer.checkVisibility());
}

/** Runs what a key stands for. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  useEffect(() => {
    newest.current = shortcuts;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const run = newest.current[event.key as ShortcutKey];
      if (!isOn || !run || !isFree(event)) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Presses the button of the open chat that stands for an action, where it is shown. */
export const pressAction = (action: string): void =>
  document.querySelector<HTMLElement>(`[data-action="${action}"]`)?.click();

/** Where one writes in the open chat. */
export const focusComposer = (): void => document.querySelector<HTMLElement>("[data-composer]")?.focus();

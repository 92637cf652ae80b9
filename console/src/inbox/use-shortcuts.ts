import { useEffect, useRef, useSyncExternalStore } from "react";
import { Listeners } from "../shared/listeners.ts";
import { storage } from "../shared/storage.ts";

/** All keys of the inbox in the order of the dialog. */
export const shortcutKeys = ["j", "k", "/", "r", "n", "t", "a", "c", "i", "?"] as const;
type ShortcutKey = (typeof shortcutKeys)[number];
type Shortcuts = Partial<Record<ShortcutKey, () => void>>;

const storedAs = "recado.shortcuts";
let isOn = storage.get(storedAs) !== "off";
const listeners = new Listeners();

export function switchShortcuts(on: boolean): void {
  isOn = on;
  storage.set(storedAs, on ? null : "off");
  listeners.notify();
}

export const useShortcutsOn = (): boolean => useSyncExternalStore(listeners.subscribe, () => isOn);

const written = "input, textarea, select, [contenteditable]:not([contenteditable=false])";
const layers = "[role=dialog], [role=menu], [role=listbox]";

/** Shortcuts are off while the user types, and while a dialog, a menu or a list is open. */
function isFree({ target, isComposing, defaultPrevented, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (isComposing || defaultPrevented || ctrlKey || metaKey || altKey) return false;
  if (target instanceof Element && target.closest(written)) return false;
  return [...document.querySelectorAll(layers)].every((layer) => !layer.checkVisibility());
}

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

/** Clicks the open chat's button with this `data-action`, if the button is shown. */
export const pressAction = (action: string): void =>
  document.querySelector<HTMLElement>(`[data-action="${action}"]`)?.click();
export const focusComposer = (): void => document.querySelector<HTMLElement>("[data-composer]")?.focus();

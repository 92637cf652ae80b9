import { useSyncExternalStore } from "react";

/** Shown in the status line. */
export type ConnectionState = "connecting" | "online" | "reconnecting" | "catching-up" | "ended";

let state: ConnectionState = "connecting";
const listeners = new Set<() => void>();

export function setConnection(next: ConnectionState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useConnection = (): ConnectionState => useSyncExternalStore(subscribe, () => state);

import { useSyncExternalStore } from "react";
import { Listeners } from "../shared/listeners.ts";

/** The state of the live connection, which the status line shows. */
type ConnectionState = "connecting" | "online" | "reconnecting" | "catching-up" | "ended";

let state: ConnectionState = "connecting";
const listeners = new Listeners();

export function setConnection(next: ConnectionState): void {
  if (next === state) return;
  state = next;
  listeners.notify();
}

export const useConnection = (): ConnectionState => useSyncExternalStore(listeners.subscribe, () => state);

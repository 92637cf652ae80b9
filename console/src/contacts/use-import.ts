import { useSyncExternalStore } from "react";
import { useMe } from "../app/session.ts";
import { Refused } from "../shared/api.ts";
import { Listeners } from "../shared/listeners.ts";
import { queryClient } from "../shared/query.ts";
import { importRows, noRows, type RowCounts, rowsIn } from "../shared/row-import.ts";
import { storage } from "../shared/storage.ts";

/** The user's last import in this browser. It continues while the user works elsewhere in the console. */
export interface Import {
  readonly file: string;
  readonly rows: number;
  readonly counts: RowCounts;
  /** `broken` means that the import ended early. The rows that were imported until then are kept. */
  readonly state: "running" | "done" | "broken";
  /** The URL of a file with the refused rows. Null if no rows were refused, or if the import is not done. */
  readonly refusedAt: string | null;
  /** The service's error that ended the import early. Null without one, for example if the connection was lost. */
  readonly reason: string | null;
  readonly endedAt: number | null;
}

/** How long the service stores refused rows. */
const keptMs = 24 * 3_600_000;

let userId: number | null = null;
let current: Import | null = null;
let running: AbortController | null = null;
const listeners = new Listeners();

const placeOf = (id: number): string => `recado.import.${id}`;

function set(next: Import | null): void {
  current = next;
  if (userId !== null) storage.set(placeOf(userId), next && JSON.stringify(next));
  listeners.notify();
}

/** An import cannot continue after its page was closed, so a stored state `running` becomes `broken`. */
function stored(id: number): Import | null {
  try {
    const found = JSON.parse(storage.get(placeOf(id)) ?? "null") as Import | null;
    if (found === null || (found.endedAt ?? Date.now()) < Date.now() - keptMs) return null;
    return found.state === "running" ? { ...found, state: "broken" } : found;
  } catch {
    return null;
  }
}

export function useImport(): Import | null {
  const { id } = useMe();
  if (userId !== id) {
    userId = id;
    current = stored(id);
  }
  return useSyncExternalStore(listeners.subscribe, () => current);
}

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

export async function startImport(file: string, rows: number, csv: Blob): Promise<void> {
  if (running) return;
  running = new AbortController();
  addEventListener("beforeunload", warn);
  const begun: Import = { file, rows, counts: noRows, state: "running", refusedAt: null, reason: null, endedAt: null };
  set(begun);
  try {
    const end = await importRows("/contacts/import", csv, (counts) => set({ ...begun, counts }), running.signal);
    const { refused_csv: refusedAt, ...counts } = end;
    set({ ...begun, counts, state: "done", refusedAt, endedAt: Date.now() });
  } catch (error) {
    const reason = error instanceof Refused ? error.message : null;
    set({ ...begun, counts: current?.counts ?? noRows, state: "broken", reason, endedAt: Date.now() });
  } finally {
    running = null;
    removeEventListener("beforeunload", warn);
    // The contacts are read again, since the service sends no events about imported contacts.
    void queryClient.invalidateQueries({ queryKey: ["contacts"] });
  }
}

export const stopImport = (): void => running?.abort();
export const forgetImport = (): void => set(null);

export const shareOf = ({ counts, rows, state }: Import): number =>
  state === "done" ? 100 : Math.min(100, Math.floor((rowsIn(counts) / Math.max(1, rows)) * 100));

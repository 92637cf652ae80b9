import { Refused } from "./api.ts";

export interface RowCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

export const noRows: RowCounts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
export const outcomes = ["created", "updated", "unchanged", "refused"] as const satisfies (keyof RowCounts)[];

export interface ImportEnd extends RowCounts {
  /** The URL of the refused rows, which are kept for 24 hours; null if no row was refused. */
  readonly refused_csv: string | null;
}

interface Line extends Partial<ImportEnd> {
  readonly error?: string;
  readonly code?: string;
}

/**
 * The import fails after this many milliseconds without a report. The service reports every second, but first it
 * finishes earlier imports of the business. So the limit is long.
 */
const silenceMs = 10 * 60_000;

export const rowsIn = ({ created, updated, unchanged, refused }: RowCounts): number =>
  created + updated + unchanged + refused;

/** Imports a CSV file and reports the progress. Rejects with `Refused`, or another error if the connection fails. */
export async function importRows(
  path: string,
  csv: string | Blob,
  onProgress: (counts: RowCounts) => void,
  signal: AbortSignal,
): Promise<ImportEnd> {
  const silence = new AbortController();
  // With the default reason, the failure would look as if the user had stopped the import.
  const giveUp = (): void => silence.abort(new Error("the service reports no progress"));
  let timer = setTimeout(giveUp, silenceMs);
  try {
    const headers = { "content-type": "text/csv" };
    const all = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(path, { method: "POST", headers, body: csv, signal: all });
    if (!response.ok || !response.body) throw new Refused(response.status, await response.json().catch(() => ({})));
    let last: Line | undefined;
    for await (const line of linesOf(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(giveUp, silenceMs);
      last = JSON.parse(line) as Line;
      onProgress(countsIn(last));
      if (last.error !== undefined) throw new Refused(500, last);
    }
    // Only the last line has `refused_csv`.
    if (last?.refused_csv === undefined) throw new Error("the answer broke off");
    return { ...countsIn(last), refused_csv: last.refused_csv };
  } finally {
    clearTimeout(timer);
  }
}

const countsIn = ({ created = 0, updated = 0, unchanged = 0, refused = 0 }: Line): RowCounts => ({
  created,
  updated,
  unchanged,
  refused,
});

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (rest + value).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    yield* lines.filter((line) => line.trim() !== "");
    if (done) return;
  }
}

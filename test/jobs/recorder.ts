import type { Log } from "../../src/kernel/log.ts";

/** The work of a tick. It counts its runs and notices runs that overlap. */
export class Recorder {
  begun = 0;
  ended = 0;
  overlapped = false;

  constructor(private readonly work: (signal: AbortSignal) => Promise<void> = async () => {}) {}

  readonly run = async (signal: AbortSignal): Promise<void> => {
    if (this.begun > this.ended) this.overlapped = true;
    this.begun += 1;
    try {
      await this.work(signal);
    } finally {
      this.ended += 1;
    }
  };
}

interface Line {
  readonly level: "info" | "warn" | "error";
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

export function recordingLog(): Log & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: Line["level"]) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  return { lines, info: at("info"), warn: at("warn"), error: at("error") };
}

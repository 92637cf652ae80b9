import type { Log } from "./log.ts";

interface Said {
  readonly at: number;
  unsaid: number;
}

/** Logs each message at most once per `silenceMs` and counts repetitions, so that an outage does not fill the log. */
export class OccasionalLog {
  private readonly said = new Map<string, Said>();

  constructor(
    private readonly log: Pick<Log, "warn" | "error">,
    private readonly silenceMs = 60_000,
  ) {}

  /** @param message - a constant, because every different message stays in memory */
  warn(fields: object, message: string): void {
    this.say("warn", fields, message);
  }

  error(fields: object, message: string): void {
    this.say("error", fields, message);
  }

  private say(level: "warn" | "error", fields: object, message: string): void {
    const at = performance.now();
    const last = this.said.get(message);
    if (last && at - last.at < this.silenceMs) {
      last.unsaid += 1;
      return;
    }
    this.said.set(message, { at, unsaid: 0 });
    this.log[level](last && last.unsaid > 0 ? { ...fields, unsaid: last.unsaid } : fields, message);
  }
}

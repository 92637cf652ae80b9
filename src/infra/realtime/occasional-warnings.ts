import type { Log } from "../../kernel/log.ts";

const silenceMs = 10_000;

/** Says the same thing at most every ten seconds: when a database is away, a thousand clients notice at once. */
export class OccasionalWarnings {
  private readonly saidAt = new Map<string, number>();

  constructor(private readonly logger: Log) {}

  warn(fields: object, message: string): void {
    const now = performance.now();
    if (now - (this.saidAt.get(message) ?? Number.NEGATIVE_INFINITY) < silenceMs) return;
    this.saidAt.set(message, now);
    this.logger.warn(fields, message);
  }
}

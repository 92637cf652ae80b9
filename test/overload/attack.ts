import type { Outcome, Target } from "./wire.ts";

/** What an attacker did and got, as its process tells it in the end. */
export interface Told {
  /** How often its requests ended how: by status, or `cut`, `refused`, `hung up`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Answers with 429 or 503 that do not say when to come again. */
  readonly withoutRetryAfter: number;
  /** That the system took from it. */
  readonly bytesSent: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Of one CPU, in percent, while it attacked. */
  readonly cpuPercent: number;
}

export class Tally {
  readonly outcomes: Record<string, number> = {};
  readonly figures: Record<string, number> = {};
  withoutRetryAfter = 0;
  bytesSent = 0;

  add({ status, hasRetryAfter }: Outcome): void {
    this.outcomes[status] = (this.outcomes[status] ?? 0) + 1;
    if ((status === 429 || status === 503) && !hasRetryAfter) this.withoutRetryAfter += 1;
  }

  /** Keeps the largest value. */
  peak(name: string, value: number): void {
    this.figures[name] = Math.max(this.figures[name] ?? 0, value);
  }
}

/** Attacks until the signal says so, and then closes what it opened. */
export type Attack = (target: Target, signal: AbortSignal, tally: Tally) => Promise<void>;

/** Which attack a process of its own makes, in JSON. */
export interface AttackSpec {
  /** A name in `attacks.ts`. */
  readonly attack: string;
  readonly settings: object;
  /** By how much it gives way to the service on this machine; 10 unless given. */
  readonly niceness?: number;
  /** It goes on until the others have recovered. */
  readonly staysOn?: boolean;
}

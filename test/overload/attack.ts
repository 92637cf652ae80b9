import type { Outcome, Target } from "./wire.ts";

/** The attacker's result. */
export interface Told {
  /** The number of requests by status. The status of a request without an answer is `cut`, `refused` or `hung up`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The number of answers with 429 or 503 that lack Retry-After. */
  readonly withoutRetryAfter: number;
  /** Bytes that the operating system accepted for sending. The service may have read fewer. */
  readonly bytesSent: number;
  readonly figures: Readonly<Record<string, number>>;
  /** The attacker's share of one CPU in percent. */
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

  peak(name: string, value: number): void {
    this.figures[name] = Math.max(this.figures[name] ?? 0, value);
  }
}

/** Attacks until everything is sent or the signal is aborted, then closes its connections. */
export type Attack = (target: Target, signal: AbortSignal, tally: Tally) => Promise<void>;

/** The attack that a separate process runs. The process gets this as JSON. */
export interface AttackSpec {
  /** A name in `attacks.ts`. */
  readonly attack: string;
  readonly settings: object;
  /** The increase of the process's niceness; 10 unless given. */
  readonly niceness?: number;
  /** Whether the attack continues while the test waits for the victim's recovery. */
  readonly staysOn?: boolean;
}

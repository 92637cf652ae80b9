import type { LoggedEvent } from "../../../kernel/events.ts";

/** Logged events on their way to the Pusher-protocol host; written in the transaction that logs them. */
export interface PushOutbox {
  /**
   * Takes at most `limit` that are due, the oldest first; no two takers get the same one. Each is due again by itself
   * should its taker die.
   */
  claim(limit: number): Promise<LoggedEvent[]>;
  remove(events: readonly Pick<LoggedEvent, "businessId" | "number">[]): Promise<void>;
  /** Forgets what has waited for longer, for where nobody pushes; how many. */
  forget(olderThanHours: number): Promise<number>;
}

export interface PushHost {
  /** At most `batch` events in one request. */
  readonly batch: number;
  /**
   * Which of them need not be pushed again: those that the host took, and those that it never will. The rest is to be
   * tried later. Never rejects.
   */
  push(events: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]>;
}

import type { LoggedEvent } from "../../../kernel/events.ts";

/** Logged events that wait for the Pusher-protocol host. The transaction that logs an event also adds it here. */
export interface PushOutbox {
  /**
   * Claims at most `limit` due events of each cell, the oldest first. A claimed event is due again after some time, in
   * case its worker dies. Until then no other worker claims the event.
   */
  claim(limit: number): Promise<LoggedEvent[]>;
  remove(events: readonly Pick<LoggedEvent, "businessId" | "number">[]): Promise<void>;
  /**
   * Removes events that have waited for more than `olderThanHours`, and returns their number. Without a host nothing
   * else empties the outbox.
   */
  forget(olderThanHours: number): Promise<number>;
}

export interface PushHost {
  /** The most events in one request. */
  readonly batch: number;
  /** Returns the events that need no other attempt: the host accepted them, or never will. Never rejects. */
  push(events: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]>;
}

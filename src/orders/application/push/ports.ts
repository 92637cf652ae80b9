import type { LoggedEvent } from "../../../kernel/events.ts";

/** Logged events that wait for the Pusher-protocol host. The transaction that logs an event also adds it here. */
export interface PushOutbox {
  /**
   * Claims at most `limit` due events of each cell, the longest due first. For some time, no other worker claims these
   * events. After this time they are due again, in case their worker died.
   */
  claim(limit: number): Promise<LoggedEvent[]>;
  remove(events: readonly Pick<LoggedEvent, "businessId" | "number">[]): Promise<void>;
  /**
   * Removes events that have been due for more than `olderThanHours`, and returns their number. If there is no host,
   * only this method empties the outbox.
   */
  forget(olderThanHours: number): Promise<number>;
}

export interface PushHost {
  /** The most events in one request. */
  readonly batch: number;
  /** Returns the events that are done: the host has accepted them, or will never accept them. Never rejects. */
  push(events: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]>;
}

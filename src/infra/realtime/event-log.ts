import type { LoggedEvent } from "../../kernel/events.ts";
import type { Gate } from "../../kernel/gate.ts";

/** Where events are found again that were not heard of when they happened. */
export interface EventLog {
  /** At most `limit` events of the business with a number above `after`, in the order of their numbers. */
  read(businessId: number, after: number, limit: number): Promise<readonly LoggedEvent[]>;

  /** The number each business gave last, also when its events are purged by now; one without any is missing. */
  lastNumbers(businessIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** The same log behind a gate: a thousand clients that come back at once do not take every connection of the pool. */
export const behind = (gate: Gate, log: EventLog): EventLog => ({
  read: (businessId, after, limit) => gate.pass(() => log.read(businessId, after, limit)),
  lastNumbers: (businessIds) => gate.pass(() => log.lastNumbers(businessIds)),
});

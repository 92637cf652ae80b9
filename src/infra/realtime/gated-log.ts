import type { EventLog } from "../../kernel/events.ts";
import type { Semaphore } from "../../kernel/semaphore.ts";

/** The log behind a gate: a thousand clients that come back at once do not take every connection of the pool. */
export const behind = (limited: Semaphore, log: EventLog): EventLog => ({
  read: (businessId, after, limit) => limited(() => log.read(businessId, after, limit)),
  lastNumbers: (businessIds) => limited(() => log.lastNumbers(businessIds)),
});

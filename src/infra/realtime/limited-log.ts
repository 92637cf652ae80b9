import type { EventLog } from "../../kernel/events.ts";
import type { Semaphore } from "../../kernel/semaphore.ts";

/** Limits concurrent reads: a thousand clients that reconnect at once must not take all database connections. */
export const limitedLog = (limited: Semaphore, log: EventLog): EventLog => ({
  read: (businessId, after, limit) => limited(() => log.read(businessId, after, limit)),
  lastNumbers: (businessIds) => limited(() => log.lastNumbers(businessIds)),
});

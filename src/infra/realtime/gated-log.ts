import type { EventLog } from "../../kernel/events.ts";
import type { Gate } from "../../kernel/gate.ts";

/** The log behind a gate: a thousand clients that come back at once do not take every connection of the pool. */
export const behind = (gate: Gate, log: EventLog): EventLog => ({
  read: (businessId, after, limit) => gate.pass(() => log.read(businessId, after, limit)),
  lastNumbers: (businessIds) => gate.pass(() => log.lastNumbers(businessIds)),
});

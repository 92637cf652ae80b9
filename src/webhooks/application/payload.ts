import type { LoggedEvent } from "../../kernel/events.ts";
import type { EventToWire } from "./ports.ts";

/** The body that an endpoint gets for an event. */
export const payloadOf = (
  toWire: EventToWire,
  { event, type }: { readonly event: LoggedEvent; readonly type: string },
) => ({
  type,
  timestamp: event.at.toISOString(),
  data: toWire(event),
});

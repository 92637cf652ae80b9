import type { LoggedEvent } from "../../kernel/events.ts";
import type { SpellEvent } from "./ports.ts";

/** What an endpoint is sent of an event. */
export const payloadOf = (
  spell: SpellEvent,
  { event, type }: { readonly event: LoggedEvent; readonly type: string },
) => ({
  type,
  timestamp: event.at.toISOString(),
  data: spell(event),
});

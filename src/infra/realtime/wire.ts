import type { BusinessEvent, LoggedEvent } from "../../kernel/events.ts";
import type { Log } from "../../kernel/log.ts";

export interface WireEvent {
  readonly name: string;
  readonly payload: object;
}

/** Tells the client to reload what it shows and go on from `seq`: it missed events, or its view or data changed. */
export const resync = (seq: number): WireEvent => ({ name: "resync", payload: { seq } });

/** The client has everything up to `seq`. */
export const ready = (seq: number): WireEvent => ({ name: "ready", payload: { seq } });

/** An event that is not stored and therefore has no number. */
export const atOnce = (businessId: number, { name, payload }: BusinessEvent): WireEvent => ({
  name,
  payload: { empresa_id: businessId, at: new Date().toISOString(), ...payload },
});

/** Adds the common fields. The test event of a webhook is not logged: its number is negative, so it gets no `seq`. */
export function enveloped({ businessId, at, number }: LoggedEvent, translated: object): object {
  const envelope = { empresa_id: businessId, at: at.toISOString(), ...(number > 0 && { seq: number }) };
  return { ...envelope, ...translated, ...envelope };
}

/**
 * Translates events for clients; null for events that they do not get. If the translation fails, clients get `resync`,
 * so that the following events are not blocked.
 */
export const onTheWire =
  (translate: (event: LoggedEvent) => object | null, logger: Log) =>
  (event: LoggedEvent): WireEvent | null => {
    try {
      const translated = translate(event);
      if (!translated) return null;
      return { name: event.name, payload: enveloped(event, translated) };
    } catch (error) {
      const { businessId, number, name } = event;
      logger.error({ err: error, businessId, number, event: name }, "An event could not be put on the wire");
      return resync(event.number);
    }
  };

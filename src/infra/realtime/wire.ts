import type { BusinessEvent, LoggedEvent } from "../../kernel/events.ts";
import type { Log } from "../../kernel/log.ts";

/** What a client receives: an event's name and its JSON object. */
export interface WireEvent {
  readonly name: string;
  readonly payload: object;
}

/** The client has missed events that cannot be had any more: what it shows must be loaded anew, as of `seq`. */
export const resync = (seq: number): WireEvent => ({ name: "resync", payload: { seq } });

/** The client has everything up to `seq`; what follows happens live. */
export const ready = (seq: number): WireEvent => ({ name: "ready", payload: { seq } });

/** Something that is told at once and never again, in the wire's spelling: it has no number. */
export const atOnce = (businessId: number, { name, payload }: BusinessEvent): WireEvent => ({
  name,
  payload: { empresa_id: businessId, at: new Date().toISOString(), ...payload },
});

/** What all events have, around what this one holds. Only those of the log have a number above 0. */
export function enveloped({ businessId, at, number }: LoggedEvent, translated: object): object {
  const envelope = { empresa_id: businessId, at: at.toISOString(), ...(number > 0 && { seq: number }) };
  return { ...envelope, ...translated, ...envelope };
}

/**
 * Gives an event the wire's form: `{ empresa_id, at, seq }` and what `translate` makes of its payload; null where that
 * is null, for an event that is not for these clients. An event that cannot be translated must not stop those behind it:
 * its clients are told to load what they show again.
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

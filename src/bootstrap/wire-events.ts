import { goneEvents, inboxEvents } from "../inbox/adapters/realtime/inbox-events.ts";
import type { LoggedEvent } from "../kernel/events.ts";
import { campaignEvents } from "../messaging/adapters/realtime/campaign-events.ts";
import { orderEvents } from "../orders/adapters/wire/order-wire.ts";

const wireEvents: Readonly<Record<string, (payload: never) => object>> = {
  ...inboxEvents,
  ...goneEvents,
  ...campaignEvents,
  ...orderEvents,
};

export function toWire({ name, payload }: Pick<LoggedEvent, "name" | "payload">): object {
  const translate = wireEvents[name];
  if (!translate) throw new Error(`no wire format for the event ${name}`);
  return translate(payload as never);
}

import type { BusinessEvent } from "../../kernel/events.ts";

/** Orders that come from the business's own app or shop: their changes go there, by the Pusher protocol. */
export const pushedTypes = ["app", "web"] as const;

/** Whether an event is told by the Pusher protocol, where a host is configured, and not to the sockets. */
export const isPushed = ({ name, payload }: BusinessEvent): boolean =>
  name === "order:changed" && "type" in payload && pushedTypes.some((type) => type === payload.type);

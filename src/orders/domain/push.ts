import type { BusinessEvent } from "../../kernel/events.ts";

/** Types of orders from the business's own app or shop. Their changes are sent by the Pusher protocol. */
export const pushedTypes = ["app", "web"] as const;

/** Whether an event goes to the Pusher-protocol host, if one is configured, and not to the sockets. */
export const isPushed = ({ name, payload }: BusinessEvent): boolean =>
  name === "order:changed" && "type" in payload && pushedTypes.some((type) => type === payload.type);

import type { BusinessEvent } from "../../kernel/events.ts";

/** Types of orders from the business's own app or shop. Their changes are sent by the Pusher protocol. */
export const pushedTypes = ["app", "web"] as const;

/** Whether an event goes to the Pusher-protocol host instead of the sockets, if the installation has such a host. */
export const isPushed = ({ name, payload }: BusinessEvent): boolean =>
  name === "order:changed" && "type" in payload && pushedTypes.some((type) => type === payload.type);

import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";

/**
 * Calls `reload` after the first connection, since events may have come while the page loaded its data. Calls `reload`
 * again if the service cannot send all missed events, or if what the user may see has changed.
 */
export function onMissed(socket: Socket<ServerEvents, ClientEvents>, reload: () => void): void {
  socket.once("ready", reload);
  socket.on("resync", reload);
}

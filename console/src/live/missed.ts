import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";

/**
 * Calls `reload` after the first connection, since events may have come while the page loaded its data. Calls it again
 * after an interruption if the service no longer has the events that came meanwhile.
 */
export function onMissed(socket: Socket<ServerEvents, ClientEvents>, reload: () => void): void {
  socket.once("ready", reload);
  socket.on("resync", reload);
}

import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";

/**
 * Calls `reload` when events may have been missed: after the first connection, since the page loads data while it
 * connects, and if the service no longer has the events of an interruption.
 */
export function onMissed(socket: Socket<ServerEvents, ClientEvents>, reload: () => void): void {
  socket.once("ready", reload);
  socket.on("resync", reload);
}

import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";

/**
 * Calls `reload` where events may have been missed: after the first connection, since a page loads data while it connects,
 * and where the service no longer has the events since the connection was lost.
 */
export function onMissed(socket: Socket<ServerEvents, ClientEvents>, reload: () => void): void {
  socket.once("ready", reload);
  socket.on("resync", reload);
}

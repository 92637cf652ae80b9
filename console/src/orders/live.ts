import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";
import { onMissed } from "../live/missed.ts";
import { hearOrder, reloadOrders } from "./board.ts";

export function hearOrders(socket: Socket<ServerEvents, ClientEvents>): void {
  socket.on("order:changed", hearOrder);
  onMissed(socket, reloadOrders);
}

import type { Socket } from "socket.io-client";
import type { ClientEvents, ServerEvents } from "../../../client/src/index.ts";
import { onMissed } from "../live/missed.ts";
import { queryClient } from "../shared/query.ts";
import { contactKey, dropContact, showContact } from "./contacts.ts";

/** Updates cached contacts by events. */
export function hearContacts(socket: Socket<ServerEvents, ClientEvents>): void {
  socket.on("contact:changed", ({ contacto, borrado }) => {
    if (borrado) return dropContact(contacto.id);
    showContact(contacto);
    void queryClient.invalidateQueries({ queryKey: contactKey(contacto.id) });
  });
  onMissed(socket, () => void queryClient.invalidateQueries({ queryKey: ["contacts"] }));
}

import type { Colleague, PresenceWords } from "../../../infra/realtime/presence-words.ts";
import { maxId } from "../../../kernel/ids.ts";
import { namedToWire } from "../wire/inbox-wire.ts";

/** Clients emit `typing` and `viewing` with `{ chat_id }`. In `viewing`, null means that no chat is open. */
export const chatPresence: PresenceWords = {
  typing: "typing",
  viewing: "viewing",
  subjectIn: (payload) => {
    if (typeof payload !== "object" || payload === null) return undefined;
    const { chat_id: id } = payload as { chat_id?: unknown };
    if (id === null) return null;
    return typeof id === "number" && Number.isInteger(id) && id >= 1 && id <= maxId ? id : undefined;
  },
  toldTyping: (chatId: number, user: Colleague) => ({
    name: "chat:typing",
    payload: { chat_id: chatId, usuario: namedToWire(user) },
  }),
  toldViewing: (chatId: number, users: readonly Colleague[]) => ({
    name: "chat:viewing",
    payload: { chat_id: chatId, usuarios: users.map(namedToWire) },
  }),
};

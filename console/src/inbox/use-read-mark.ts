import { useEffect, useRef } from "react";
import { answered, api, type Chat, type Message } from "../shared/api.ts";
import { showChat } from "./chat-lists.ts";

/** Marks read what the user has before their eyes. */
export function useReadMark(chat: Chat, messages: readonly Message[], isAtEnd: boolean): void {
  const asked = useRef(0);
  const { chat_id: id, no_leidos: unread } = chat;
  const newest = messages.findLast(({ direccion }) => direccion === "entrante")?.id;
  useEffect(() => {
    if (newest === undefined || unread === 0 || !isAtEnd) return;
    const read = (): void => {
      if (document.visibilityState !== "visible" || asked.current >= newest) return;
      asked.current = newest;
      answered(api.POST("/chats/{id}/read", { params: { path: { id } }, body: { hasta: newest } }))
        .then(showChat)
        // With the next message, or when the page is looked at again.
        .catch(() => {
          asked.current = 0;
        });
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [id, newest, unread, isAtEnd]);
}

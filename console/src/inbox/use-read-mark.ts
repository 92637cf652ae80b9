import { useEffect, useRef } from "react";
import { answered, api, type Chat, type Message } from "../shared/api.ts";
import { showAnswered } from "./chat-lists.ts";

/** Milliseconds between two requests while the user scrolls through unread messages. */
const pauseMs = 500;

/**
 * Marks messages as read once they were visible.
 *
 * @param seen - the id of the last visible message, infinity at the end of the thread, or 0 if none was visible
 */
export function useReadMark(chat: Chat, messages: readonly Message[], seen: number): void {
  const asked = useRef(0);
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const { chat_id: id, no_leidos: unread } = chat;
  const newest = messages.findLast((message) => message.direccion === "entrante" && message.id <= seen)?.id;
  useEffect(() => {
    if (newest === undefined || unread === 0) return;
    const read = (): void => {
      if (document.visibilityState !== "visible" || asked.current >= newest) return;
      asked.current = newest;
      askedAt.current = performance.now();
      answered(api.POST("/chats/{id}/read", { params: { path: { id } }, body: { hasta: newest } }))
        .then(showAnswered)
        // A failed request is sent again when a newer message arrives or is seen, or when the user returns to the page.
        .catch(() => {
          asked.current = 0;
        });
    };
    const timer = setTimeout(read, Math.max(0, askedAt.current + pauseMs - performance.now()));
    document.addEventListener("visibilitychange", read);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", read);
    };
  }, [id, newest, unread]);
}

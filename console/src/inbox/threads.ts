import type { InfiniteData } from "@tanstack/react-query";
import { Recent } from "../live/recent.ts";
import { answered, api, type Message } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";

/** Newest first, as the service answers them. */
export interface MessagePage {
  readonly data: readonly Message[];
  readonly next: string | null;
}

type Thread = InfiniteData<MessagePage>;
type Status = Pick<Message, "estado" | "error">;

type ThreadEvent =
  | { readonly kind: "new"; readonly chatId: number; readonly message: Message }
  | { readonly kind: "changed"; readonly chatId: number; readonly message: Message }
  | { readonly kind: "status"; readonly chatId: number; readonly id: number; readonly status: Status };

const recent = new Recent<ThreadEvent>();

export const threadKey = (chatId: number) => ["thread", chatId] as const;

export async function fetchMessages(chatId: number, cursor: string | null, signal: AbortSignal): Promise<MessagePage> {
  const began = performance.now();
  const params = { path: { id: chatId }, query: { ...(cursor && { cursor }), limit: 50 } };
  const page: MessagePage = await answered(api.GET("/chats/{id}/messages", { params, signal }));
  const events = recent.since(began).filter((event) => event.chatId === chatId);
  return events.reduce((so, event) => pageWith(so, event, cursor === null), page);
}

function pageWith(page: MessagePage, event: ThreadEvent, isNewest: boolean): MessagePage {
  const id = event.kind === "status" ? event.id : event.message.id;
  const known = page.data.some((message) => message.id === id);
  if (!known) {
    if (event.kind !== "new" || !isNewest) return page;
    return { ...page, data: [event.message, ...page.data].sort((a, b) => b.id - a.id) };
  }
  if (event.kind === "new") return page;
  const next = (message: Message): Message =>
    event.kind === "status" ? { ...message, ...event.status } : event.message;
  return { ...page, data: page.data.map((message) => (message.id === id ? next(message) : message)) };
}

export function applyToThread(event: ThreadEvent): void {
  recent.add(event);
  queryClient.setQueryData<Thread>(threadKey(event.chatId), (thread) => {
    if (!thread) return thread;
    const isKnown = thread.pages.some(
      ({ data }) => event.kind === "new" && data.some(({ id }) => id === event.message.id),
    );
    if (isKnown) return thread;
    return { ...thread, pages: thread.pages.map((page, index) => pageWith(page, event, index === 0)) };
  });
}

/** Oldest first, each message once. */
export function messagesOf(thread: Thread | undefined): Message[] {
  const byId = new Map((thread?.pages ?? []).flatMap(({ data }) => data).map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

export const reloadThreads = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ["thread"] });

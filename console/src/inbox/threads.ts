import type { InfiniteData } from "@tanstack/react-query";
import { Recent } from "../live/recent.ts";
import { answered, api, type Message } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";

/** The newest message comes first. */
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

const perPage = 50;
const recent = new Recent<ThreadEvent>();
const threadsKey = ["thread"] as const;

export const threadKey = (chatId: number) => [...threadsKey, chatId] as const;

export async function fetchMessages(chatId: number, cursor: string | null, signal?: AbortSignal): Promise<MessagePage> {
  const began = performance.now();
  const params = { path: { id: chatId }, query: { ...(cursor && { cursor }), limit: perPage } };
  const page: MessagePage = await answered(api.GET("/chats/{id}/messages", { params, ...(signal && { signal }) }));
  const events = recent.since(began).filter((event) => event.chatId === chatId);
  return events.reduce((so, event) => pageWith(so, event, cursor === null), page);
}

function pageWith(page: MessagePage, event: ThreadEvent, isNewest: boolean): MessagePage {
  const id = event.kind === "status" ? event.id : event.message.id;
  const place = page.data.findIndex((message) => message.id === id);
  if (place < 0) {
    if (event.kind !== "new" || !isNewest) return page;
    return { ...page, data: [event.message, ...page.data].sort((a, b) => b.id - a.id) };
  }
  if (event.kind === "new") return page;
  const next = (message: Message): Message =>
    event.kind === "status" ? { ...message, ...event.status } : event.message;
  return { ...page, data: page.data.map((message, index) => (index === place ? next(message) : message)) };
}

export function applyToThread(event: ThreadEvent): void {
  recent.add(event);
  queryClient.setQueryData<Thread>(threadKey(event.chatId), (thread) => thread && threadWith(thread, event));
}

recent.reapply<Thread>(threadsKey, (thread, event, [, chatId]) =>
  event.chatId === chatId ? threadWith(thread, event) : thread,
);

function threadWith(thread: Thread, event: ThreadEvent): Thread {
  const isKnown = thread.pages.some(
    ({ data }) => event.kind === "new" && data.some(({ id }) => id === event.message.id),
  );
  if (isKnown) return thread;
  const pages = thread.pages.map((page, index) => pageWith(page, event, index === 0));
  return pages.some((page, index) => page !== thread.pages[index]) ? { ...thread, pages } : thread;
}

/** The messages of all pages without duplicates. The oldest comes first. */
export function messagesOf(thread: Thread | undefined): Message[] {
  const byId = new Map((thread?.pages ?? []).flatMap(({ data }) => data).map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

/** Replaces the platform id by the customer's name. The author is the platform id until the platform sends a name. */
export const named = (messages: readonly Message[], name: string, platformId: string): readonly Message[] =>
  name === "" || !messages.some((message) => isUnnamed(message, platformId))
    ? messages
    : messages.map((message) => (isUnnamed(message, platformId) ? { ...message, autor_nombre: name } : message));

const isUnnamed = ({ autor, autor_nombre }: Message, platformId: string): boolean =>
  autor === "contacto" && autor_nombre === platformId;

/** The id of the newest loaded message of a chat, or 0. */
export function newestIdIn(chatId: number): number {
  const thread = queryClient.getQueryData<Thread>(threadKey(chatId));
  return Math.max(0, ...(thread?.pages ?? []).map(({ data }) => data[0]?.id ?? 0));
}

/** `fetchQuery` retries after a failure, and a plain request does not. */
const fetchNewest = (chatId: number): Promise<MessagePage> =>
  queryClient.fetchQuery({
    ...{ queryKey: ["newest messages", chatId], staleTime: 0, gcTime: 0 },
    queryFn: ({ signal }) => fetchMessages(chatId, null, signal),
  });

/** Loads the newest page of a thread again and drops the older pages. Scrolling up loads the older pages again. */
export async function refreshThread(chatId: number): Promise<void> {
  const page = await fetchNewest(chatId);
  const queryKey = threadKey(chatId);
  if (!queryClient.getQueryData(queryKey)) return;
  // A request for a further page would bring the dropped pages back.
  await queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData<Thread>(queryKey, { pages: [page], pageParams: [null] });
}

/** Reloads that failed. Open threads may lack messages until these reloads succeed. */
const failed = new Set<() => Promise<void>>();

async function orLater(load: () => Promise<void>): Promise<void> {
  failed.delete(load);
  await load().catch(() => failed.add(load));
}

/** Repeats the failed reloads. Called after each connection. */
export function repeatReloads(): void {
  for (const load of [...failed]) void orLater(load);
}

/** Loads the newest page of the open thread again, and keeps the thread's other pages. */
export const catchUpThreads = (): Promise<void> => orLater(catchUp);

async function catchUp(): Promise<void> {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: threadsKey, type: "active" })) {
    const chatId = Number(queryKey[1]);
    const { data } = await fetchNewest(chatId);
    for (const message of data) {
      applyToThread({ kind: "changed", chatId, message });
      applyToThread({ kind: "new", chatId, message });
    }
  }
}

/** Reloads the open thread at once. Other threads are reloaded when they are opened. Called after events were lost. */
export const reloadThreads = (): Promise<void> => orLater(reload);

async function reload(): Promise<void> {
  queryClient.removeQueries({ queryKey: threadsKey, type: "inactive" });
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: threadsKey, type: "active" }))
    await refreshThread(Number(queryKey[1]));
}

import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { Recent } from "../live/recent.ts";
import { answered, api, type Chat, type ChatState, type paths, Refused } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";

export const views = ["all", "mine", "unassigned", "unread", "bot"] as const;
export type View = (typeof views)[number];

export interface ChatFilter {
  readonly view: View;
  readonly q: string;
  readonly state: ChatState | null;
  readonly departmentId: number | null;
  readonly tagId: number | null;
  /** The user whose own chats the view `mine` shows. */
  readonly userId: number;
}

interface ChatPage {
  readonly data: readonly Chat[];
  readonly next: string | null;
}

type ChatList = InfiniteData<ChatPage>;

const listsKey = ["chats"] as const;
export const listKey = (filter: ChatFilter) => [...listsKey, filter] as const;
export const chatKey = (chatId: number) => ["chat", chatId] as const;

type Contact = Chat["contacto"];
type RowEvent = { readonly chat: Chat } | { readonly gone: number } | { readonly contact: Contact };
const recent = new Recent<RowEvent>();

type ChatQuery = NonNullable<paths["/chats"]["get"]["parameters"]["query"]>;

const queryOf: Readonly<Record<View, ChatQuery>> = {
  all: {},
  mine: { soporte: "me" },
  unassigned: { soporte: "none" },
  unread: { no_leidos: true },
  bot: { estado: ["bot"] },
};

const shows: Readonly<Record<View, (chat: Chat, userId: number) => boolean>> = {
  all: () => true,
  mine: (chat, userId) => chat.soporte_id === userId,
  unassigned: (chat) => chat.soporte_id === null,
  unread: (chat) => chat.no_leidos > 0,
  bot: (chat) => chat.estado === "bot",
};

const holds = (chat: Chat, { view, userId, state, tagId }: ChatFilter): boolean =>
  shows[view](chat, userId) &&
  (state === null || chat.estado === state) &&
  (tagId === null || chat.tags.some(({ id }) => id === tagId));

/**
 * Whether only the service knows if a chat belongs to the list. The row of a chat lacks some fields that the service
 * searches, and it may lack the department.
 */
const isUncertain = ({ q, departmentId }: ChatFilter): boolean => q !== "" || departmentId !== null;

const hasLeft = (chat: Chat, { departmentId }: ChatFilter): boolean => {
  const waitsFor = chat.ticket?.departamento?.id;
  return departmentId !== null && waitsFor !== undefined && waitsFor !== departmentId;
};

/** The bot view shows only chats in the state `bot`, so it is empty if another state is chosen. */
const isEmpty = ({ view, state }: ChatFilter): boolean => view === "bot" && state !== null && state !== "bot";

function wantedOf({ view, q, state, departmentId, tagId }: ChatFilter): ChatQuery {
  return {
    ...(state && { estado: [state] }),
    ...queryOf[view],
    ...(departmentId && { departamento: departmentId }),
    ...(tagId && { tag: tagId }),
    ...(q && { q }),
  };
}

export async function fetchChats(filter: ChatFilter, cursor: string | null, signal: AbortSignal): Promise<ChatPage> {
  if (isEmpty(filter)) return { data: [], next: null };
  const began = performance.now();
  const query = { ...wantedOf(filter), ...(cursor && { cursor }), limit: 50 };
  const page = await answered(api.GET("/chats", { params: { query }, signal }));
  return recent.since(began).reduce((so, event) => pageWith(so, event, filter, cursor === null), page as ChatPage);
}

/** Returns null if the user may not see the chat, or if it does not exist. */
export async function fetchChat(id: number): Promise<Chat | null> {
  const began = performance.now();
  const chat = await answered(api.GET("/chats/{id}", { params: { path: { id } } })).catch((error: unknown) => {
    if (error instanceof Refused && (error.status === 404 || error.status === 400)) return null;
    throw error;
  });
  return recent.since(began).reduce((so, event) => chatWith(so, id, event), chat as Chat | null);
}

function chatWith(known: Chat | null, id: number, event: RowEvent): Chat | null {
  if ("contact" in event) return known && isOf(known, event.contact) ? { ...known, contacto: event.contact } : known;
  if ("gone" in event) return event.gone === id ? null : known;
  if (event.chat.chat_id !== id) return known;
  return known && known.version > event.chat.version ? known : event.chat;
}

/** The service's order: the chat with the newest last message comes first, then the greater id. */
export const isBefore = (a: Chat, b: Chat): boolean => {
  const [atA, atB] = [a.ultimo_mensaje ?? "", b.ultimo_mensaje ?? ""];
  return atA === atB ? a.chat_id > b.chat_id : atA > atB;
};

/** @param mayAdd - whether a chat that was not in the page may be added */
function pageWith(page: ChatPage, event: RowEvent, filter: ChatFilter, mayAdd: boolean): ChatPage {
  if ("contact" in event) return pageNaming(page, event.contact);
  const id = "gone" in event ? event.gone : event.chat.chat_id;
  const known = page.data.find(({ chat_id }) => chat_id === id);
  if ("gone" in event) return known ? { ...page, data: without(page, id) } : page;
  const { chat } = event;
  if (known && known.version >= chat.version) return page;
  if (!holds(chat, filter)) return known ? { ...page, data: without(page, id) } : page;
  if (!known && (!mayAdd || isUncertain(filter))) return page;
  return inserted({ ...page, data: without(page, id) }, chat);
}

const isOf = ({ contacto }: Chat, { id }: Contact): boolean => contacto.id === id;

/** Replaces the contact in the rows of the contact's chats. */
function pageNaming(page: ChatPage, contact: Contact): ChatPage {
  if (!page.data.some((chat) => isOf(chat, contact))) return page;
  return { ...page, data: page.data.map((chat) => (isOf(chat, contact) ? { ...chat, contacto: contact } : chat)) };
}

const without = ({ data }: ChatPage, id: number): Chat[] => data.filter(({ chat_id }) => chat_id !== id);

/** Applies an event to the list. A changed chat moves to the page where it belongs by time. */
function listWith(list: ChatList, event: RowEvent, filter: ChatFilter): ChatList {
  if ("contact" in event) {
    const pages = list.pages.map((page) => pageNaming(page, event.contact));
    return pages.some((page, index) => page !== list.pages[index]) ? { ...list, pages } : list;
  }
  if ("gone" in event) return { ...list, pages: list.pages.map((page) => pageWith(page, event, filter, false)) };
  const { chat } = event;
  const known = list.pages.flatMap(({ data }) => data).find(({ chat_id }) => chat_id === chat.chat_id);
  if (known && known.version >= chat.version) return list;
  if (!known && isUncertain(filter)) return list;
  const pages = list.pages.map((page) => ({ ...page, data: without(page, chat.chat_id) }));
  if (!holds(chat, filter)) return { ...list, pages };
  const isLast = (index: number): boolean => index === pages.length - 1;
  const target = pages.findIndex(({ data, next }, index) => {
    const last = data.at(-1);
    return (last && isBefore(chat, last)) || (isLast(index) && next === null);
  });
  if (target < 0) return { ...list, pages };
  return { ...list, pages: pages.map((page, index) => (index === target ? inserted(page, chat) : page)) };
}

function inserted(page: ChatPage, chat: Chat): ChatPage {
  const place = page.data.findIndex((other) => isBefore(chat, other));
  const at = place < 0 ? page.data.length : place;
  return { ...page, data: [...page.data.slice(0, at), chat, ...page.data.slice(at)] };
}

/** The rows of all pages without duplicates. A chat that moved between two requests can be in two pages. */
export function rowsOf(list: ChatList | undefined): Chat[] {
  const newest = new Map<number, Chat>();
  for (const chat of list?.pages.flatMap(({ data }) => data) ?? []) {
    const known = newest.get(chat.chat_id);
    if (!known || known.version < chat.version) newest.set(chat.chat_id, chat);
  }
  return [...newest.values()];
}

function applyToLists(event: RowEvent): void {
  recent.add(event);
  for (const [key, list] of queryClient.getQueriesData<ChatList>({ queryKey: listsKey })) {
    const next = list && listWith(list, event, key[1] as ChatFilter);
    if (next && next !== list) queryClient.setQueryData(key, next);
    if (list && "chat" in event && mayHaveMoved(list, event.chat, key[1] as ChatFilter)) askAgain(key);
  }
}

recent.reapply<ChatList>(listsKey, (list, event, key) => listWith(list, event, key[1] as ChatFilter));

/** Whether the chat may have come to the list's department or left it. */
function mayHaveMoved(list: ChatList, chat: Chat, filter: ChatFilter): boolean {
  if (filter.departmentId === null || !holds(chat, filter)) return false;
  const isKnown = list.pages.some(({ data }) => data.some(({ chat_id }) => chat_id === chat.chat_id));
  return isKnown === hasLeft(chat, filter);
}

const askAgainMs = 2_000;
const asking = new Set<string>();

/** Reloads the list after a moment, once for several events. */
function askAgain(queryKey: QueryKey): void {
  const name = JSON.stringify(queryKey);
  if (asking.has(name)) return;
  asking.add(name);
  setTimeout(() => {
    asking.delete(name);
    shorten(queryKey);
    void queryClient.invalidateQueries({ queryKey, exact: true });
  }, askAgainMs);
}

/** A reload loads every page of a list, so a long list is first cut to this many pages. */
const pagesAgain = 10;

function shorten(queryKey: QueryKey): void {
  queryClient.setQueriesData<ChatList>({ queryKey }, (list) =>
    list && list.pages.length > pagesAgain
      ? { pages: list.pages.slice(0, pagesAgain), pageParams: list.pageParams.slice(0, pagesAgain) }
      : list,
  );
}

/** Shows a chat from an event or an answer, unless a newer version is known. */
export function showChat(chat: Chat): void {
  applyToLists({ chat });
  queryClient.setQueryData<Chat | null>(chatKey(chat.chat_id), (known) =>
    known && known.version > chat.version ? known : chat,
  );
}

/** Shows a changed contact in the rows and threads of the contact's chats. */
export function showContactInChats({ id, nombre, numero, platform_id }: Contact): void {
  const contact = { id, nombre, numero, platform_id };
  applyToLists({ contact });
  for (const [key, chat] of queryClient.getQueriesData<Chat | null>({ queryKey: ["chat"] }))
    if (chat && isOf(chat, contact)) queryClient.setQueryData(key, { ...chat, contacto: contact });
}

/** Shows a chat from the answer to an action, unless the user may no longer see it. */
export function showAnswered(chat: Chat): void {
  if (queryClient.getQueryData(chatKey(chat.chat_id)) !== null) showChat(chat);
}

/** Removes a chat that the user may no longer see. */
export function dropChat(chatId: number): void {
  applyToLists({ gone: chatId });
  queryClient.setQueryData(chatKey(chatId), null);
}

export function reloadChats(): Promise<void> {
  shorten(listsKey);
  return queryClient.invalidateQueries({ queryKey: listsKey });
}

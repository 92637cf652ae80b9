import type { ChatState } from "../../domain/conversation.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { AgentView, Audience, ChatView, MessageView, NamedView, TicketView, WholeContact } from "../events.ts";

export interface ChatFilter {
  readonly states: readonly ChatState[] | null;
  /** The holder's user id, or `none` for chats without a holder. */
  readonly agent: number | "none" | null;
  readonly departmentId: number | null;
  readonly tagId: number | null;
  readonly adId: string | null;
  /** True for chats with unread messages, false for those without, null for both. */
  readonly unread: boolean | null;
  readonly provider: string | null;
  /** Part of the contact's name or number, or the contact's whole id on a channel without numbers. */
  readonly text: string | null;
}

/** The place of a chat in the order of the inbox. */
export interface ChatPosition {
  /** The time of the last message, in microseconds since 1970. */
  readonly at: number;
  readonly id: number;
}

/** `after` is null for the first page. */
export interface PageAsked<Position> {
  readonly after: Position | null;
  /** From 1 to 100. */
  readonly limit: number;
  /** Aborting it ends the query. */
  readonly signal?: AbortSignal | undefined;
}

/** A chat of a list, with its place in the order of the inbox. */
export interface ListedChat extends ChatPosition {
  readonly chat: ChatView;
}

export interface ChatCounts {
  /** Open chats: `mine` are with the viewer, `unassigned` have no holder, `unread` have unread messages. */
  readonly mine: number;
  readonly unassigned: number;
  readonly unread: number;
  readonly byState: Readonly<Record<Exclude<ChatState, "closed">, number>>;
}

export interface ConversationView {
  readonly id: number;
  readonly state: ChatState;
  /** The reason that the closing user gave. */
  readonly closeReason: string | null;
  readonly adId: string | null;
  readonly createdAt: string;
  readonly closedAt: string | null;
}

export interface ListedTicket extends TicketView {
  readonly agent: NamedView | null;
  readonly createdAt: string;
  readonly closedAt: string | null;
}

export interface ChatDetails extends ChatView {
  readonly wholeContact: WholeContact;
  /** The ten latest. */
  readonly conversations: readonly ConversationView[];
  /** All open tickets and the five latest closed ones. */
  readonly tickets: readonly ListedTicket[];
  readonly referral: object | null;
  /** How interested the customer is, from 0 to 100, as rated by the AI and by the agent in the latest conversation. */
  readonly temperatures: { readonly ai: number | null; readonly agent: number | null } | null;
}

/** The latest orders of a chat, from another feature. */
export interface OrdersOfChat {
  latest(businessId: number, chatId: number, limit: number): Promise<OrderSummary[]>;
}

export interface OrderSummary {
  readonly id: number;
  readonly state: string;
  /** In major units of the currency. */
  readonly total: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/**
 * Reads what the viewer may see. Methods about one chat reject with `ChatNotFound` if the viewer may not see it. A page
 * has one item more than its limit if there is a next page.
 */
export interface InboxReads {
  /** Sorted by the time of the last message, newest first. */
  chats(viewer: Viewer, filter: ChatFilter, page: PageAsked<ChatPosition>): Promise<ListedChat[]>;
  counts(viewer: Viewer): Promise<ChatCounts>;
  chat(viewer: Viewer, chatId: number): Promise<ChatDetails>;
  /** Newest first, starting below the id `page.after`. */
  messages(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<MessageView[]>;
  /** Oldest first, starting above the id `page.after`. */
  messagesAfter(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<MessageView[]>;
  /** Active agents, sorted by name. */
  agents(businessId: number): Promise<AgentView[]>;
}

export interface ListeningUser {
  readonly name: string;
  /** The queues (see `queueOf`) that the user sees; null for users who see all. */
  readonly queues: readonly number[] | null;
}

/** What the sockets need to decide which users may receive an event. */
export interface LiveViews {
  /** Keyed by user id; inactive users are missing. */
  users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, ListeningUser>>;
  /** Keyed by chat id. */
  audiences(businessId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Audience>>;
}

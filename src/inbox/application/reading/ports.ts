import type { ChatState } from "../../domain/conversation.ts";
import type { TicketState } from "../../domain/ticket.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { AgentView, ChatView, MessageView, NamedView, TicketView, WholeContact } from "../events.ts";

export interface ChatFilter {
  readonly states: readonly ChatState[] | null;
  /** Whom the chat is with; `none` for nobody. */
  readonly agent: number | "none" | null;
  readonly departmentId: number | null;
  readonly tagId: number | null;
  readonly adId: string | null;
  /** With something unread, or with nothing; null for both. */
  readonly unread: boolean | null;
  readonly provider: string | null;
  /** Part of the contact's name or number. */
  readonly text: string | null;
}

/** Where a page of chats ends, in the order of the inbox. */
export interface ChatPosition {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly id: number;
}

/** `after`: null for the first page. */
export interface PageAsked<Position> {
  readonly after: Position | null;
  /** From 1 to 100. */
  readonly limit: number;
}

export interface PageOf<Item, Position> {
  readonly items: readonly Item[];
  /** Null after the last page. */
  readonly next: Position | null;
}

export interface ChatCounts {
  /** Open chats: those of the viewer, those of nobody, those with something unread. */
  readonly mine: number;
  readonly unassigned: number;
  readonly unread: number;
  readonly byState: Readonly<Record<Exclude<ChatState, "closed">, number>>;
}

export interface ConversationView {
  readonly id: number;
  readonly state: ChatState;
  /** Why it was closed, in the words of the one who did. */
  readonly closeReason: string | null;
  readonly adId: string | null;
  readonly createdAt: string;
  readonly closedAt: string | null;
}

export interface ListedTicket extends TicketView {
  readonly state: TicketState;
  readonly agent: NamedView | null;
  readonly createdAt: string;
  readonly closedAt: string | null;
}

export interface ChatDetails extends ChatView {
  readonly wholeContact: WholeContact;
  /** The latest ten. */
  readonly conversations: readonly ConversationView[];
  /** Open ones, and the latest five that are closed. */
  readonly tickets: readonly ListedTicket[];
  readonly referral: object | null;
  /** How warm the customer is in the latest conversation, from 0 to 100, as the AI and the agent judge. */
  readonly temperatures: { readonly ai: number | null; readonly agent: number | null } | null;
}

/** The latest orders of a chat, which another feature keeps. */
export interface OrdersOfChat {
  latest(businessId: number, chatId: number, limit: number): Promise<OrderSummary[]>;
}

export interface OrderSummary {
  readonly id: number;
  readonly state: string;
  /** In units of the currency. */
  readonly total: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** What a viewer may see of the inbox; what it may not see is not there. */
export interface InboxReads {
  /** In the order of the inbox. */
  chats(
    viewer: Viewer,
    filter: ChatFilter,
    page: PageAsked<ChatPosition>,
    signal?: AbortSignal,
  ): Promise<PageOf<ChatView, ChatPosition>>;
  counts(viewer: Viewer): Promise<ChatCounts>;
  chat(viewer: Viewer, chatId: number): Promise<ChatDetails | null>;
  /** Newest first; positions are ids. Null where there is no such chat. */
  messages(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<PageOf<MessageView, number> | null>;
  /** Oldest first, those with ids above `page.after`. */
  messagesAfter(viewer: Viewer, chatId: number, page: PageAsked<number>): Promise<PageOf<MessageView, number> | null>;
  /** Active ones, by their names. */
  agents(businessId: number): Promise<AgentView[]>;
}

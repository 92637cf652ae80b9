import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Author, MessageContent, OpenedMessage } from "../../../messaging/public.ts";
import type { StandingChat } from "../../domain/acting.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import type { ConversationState } from "../../domain/conversation.ts";
import type { TicketEnd } from "../../domain/ticket.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { Audience, ChatView, MessageView } from "../events.ts";
import type { AgentLines, DepartmentLine } from "../lines/ports.ts";

/** A chat as read without a lock, for checks before the transaction. */
export interface SeenChat extends Omit<StandingChat, "chatId" | "state"> {
  readonly contactId: number;
  readonly isErased: boolean;
}

/** A chat whose row stays locked until the transaction ends. */
export interface HeldChat extends StandingChat {
  readonly businessId: number;
  readonly contactId: number;
  /** Digits; empty if the contact has no number or is erased. */
  readonly phone: string;
  readonly platformId: string;
  readonly isErased: boolean;
  readonly audience: Audience;
  /** The open conversation, else the last one; null if there never was one. */
  readonly conversationId: number | null;
  readonly businessName: string;
  /** The viewer's name, if the viewer is a user. */
  readonly userName: string | null;
}

export interface OpenConversation {
  readonly conversationId: number;
  /** True if this call opened the conversation. */
  readonly isNew: boolean;
}

export interface MessageToOpen {
  readonly chat: HeldChat;
  readonly conversationId: number;
  readonly content: MessageContent;
  /** The channel that the message is sent on. It may differ from the chat's channel. */
  readonly channel: string;
  readonly to: string;
  readonly author: Author;
  readonly templateId: number | null;
  readonly replyTo: MessageToReply | null;
}

export interface NewNote {
  readonly chat: HeldChat;
  readonly conversationId: number;
  readonly body: string;
  readonly author: Author;
  readonly replyToId: number | null;
}

export interface ChatChange {
  /** The chat when it was locked, before the change. */
  readonly chat: HeldChat;
  /** Agents whose number of open tickets changed. If null, `announce` logs only the chat. */
  readonly ticketsOf: readonly number[] | null;
}

/**
 * Assigns chats, in one transaction. Do not call `openConversation` or `lockOpen` after `hold`: a conversation is
 * always locked before its chat.
 */
export interface ChatDesk {
  /** Locks the open conversation, or opens one in the state `begins`; null if the business has no such chat. */
  openConversation(businessId: number, chatId: number, begins: ConversationState): Promise<OpenConversation | null>;
  /**
   * Locks the chat. Null if the viewer may not see the chat, with one exception: a chat that is hidden only because
   * another user has it is returned, with `isVisible` false.
   */
  hold(viewer: Viewer, chatId: number): Promise<HeldChat | null>;
  /** Opens a conversation for a note if the chat never had one. Reopens no ended conversation. Call before `hold`. */
  enterFirst(businessId: number, chatId: number, begins: ConversationState): Promise<void>;
  /** Locks the open conversations of these chats and returns their number; call before `hold`. */
  lockOpen(businessId: number, chatIds: readonly number[]): Promise<number>;
  /**
   * Gives the chat, its conversation and its open tickets to the agent. `departmentId`, if given, is stored as the
   * department that the chat last waited for. Returns the agents whose number of open tickets changed.
   */
  attend(chat: HeldChat, agentId: number, departmentId?: number): Promise<number[]>;
  /**
   * Takes the chat and its open tickets from their agents, and lets the chat wait for the department. Null means the
   * department that the chat last waited for. Returns the same as `attend`.
   */
  queue(chat: HeldChat, departmentId: number | null): Promise<number[]>;
  /** Ends the conversation and its open tickets; the bot takes the next message. Returns the same as `attend`. */
  close(chat: HeldChat, end: TicketEnd, reason: string | null): Promise<number[]>;
  /** Logs chats of one business, their open tickets, their tickets closed in this transaction, and the agents. */
  announce(changes: readonly ChatChange[]): Promise<LoggedEvent[]>;
  view(businessId: number, chatId: number): Promise<ChatView>;
  /** True for active users only. */
  hasUser(businessId: number, userId: number): Promise<boolean>;
}

/** Properties of a chat other than its holder. */
export interface ChatMarks {
  /** False if nothing changed. */
  setBot(businessId: number, chatId: number, isAvailable: boolean): Promise<boolean>;
  /** Adds or removes a tag. False if nothing changed; rejects with `TagNotFound`. */
  tag(businessId: number, chatId: number, tagId: number, isOn: boolean): Promise<boolean>;
  /**
   * Marks the chat as read up to a message; undefined if nothing changed. `receiptFor` is the platform's id of the last
   * customer message that became read, null for none.
   */
  read(businessId: number, chatId: number, upTo: number): Promise<{ readonly receiptFor: string | null } | undefined>;
}

/** Adds messages to a chat that is locked. */
export interface AnswerDesk {
  message(businessId: number, chatId: number, messageId: number): Promise<MessageToReply | null>;
  note(note: NewNote): Promise<{ readonly id: number; readonly events: readonly LoggedEvent[] }>;
  /** Stores a message under a lease: after the commit the caller alone sends it, at most once. */
  openMessage(message: MessageToOpen): Promise<OpenedMessage>;
}

export interface LeavingUser {
  readonly businessId: number;
  readonly userId: number;
}

/** Users who may no longer attend chats: their access or their agent role was removed. */
export interface LeavingUsers {
  /** Users of all businesses who may still have chats, at most 1,000 of each cell. */
  list(): Promise<LeavingUser[]>;
  /** Ids of the user's open chats and of open chats in which they have a ticket. */
  chats(user: LeavingUser, limit: number): Promise<number[]>;
  /**
   * Removes the user from the list, but not in the first two minutes after the user became inactive: transactions that
   * began while the user was active may still assign chats to the user.
   */
  settle(user: LeavingUser): Promise<void>;
}

/** A department's line: its agents and the chats that wait for them. */
export interface DepartmentDesk {
  department(businessId: number, departmentId: number): Promise<DepartmentLine | null>;
  /** Available agents, at most 500; their load includes open chats without an open ticket. */
  agents(line: DepartmentLine): Promise<AgentLoad[]>;
  /** Notes that these agents just got a chat, so that agents with the same load come before them next time. */
  noteGiven(businessId: number, agentIds: readonly number[]): Promise<void>;
  /** Puts the chat into the line. A chat that already waits there keeps its place. */
  wait(businessId: number, chatId: number, departmentId: number): Promise<void>;
  /** Removes chats that have an agent by now, are closed, or wait elsewhere. */
  forgetServed(line: DepartmentLine): Promise<void>;
  /** Ids of the chats that have waited longest. */
  oldest(line: DepartmentLine, limit: number): Promise<number[]>;
}

/** All stores share one transaction. */
export interface ActingStores {
  readonly chats: ChatDesk;
  readonly marks: ChatMarks;
  readonly answers: AnswerDesk;
  readonly departments: DepartmentDesk;
  readonly lines: AgentLines;
}

export interface MessageToReply {
  readonly id: number;
  readonly platformMessageId: string | null;
}

/** Values for the placeholders of a quick reply; null if unknown. */
export interface QuickReplyFacts {
  readonly contactName: string | null;
  /** Digits. */
  readonly contactPhone: string | null;
  readonly contactFields: Readonly<Record<string, unknown>> | null;
  /** The user who answers. */
  readonly agentName: string | null;
  readonly businessName: string;
}

export type FillQuickReply = (text: string, facts: QuickReplyFacts) => string;

export interface QuickReply extends QuickReplyFacts {
  readonly body: string;
  readonly mediaUrl: string | null;
  readonly mediaType: string | null;
}

export interface ActingReads {
  message(businessId: number, messageId: number): Promise<MessageView | null>;
  /** Includes the placeholders' values. The contact's values are null if `ChatDesk.hold` would return null. */
  quickReply(viewer: Viewer, chatId: number, quickReplyId: number): Promise<QuickReply | null>;
  /** Null in the same cases as `ChatDesk.hold`. */
  chat(viewer: Viewer, chatId: number): Promise<SeenChat | null>;
}

export type ActingUnitOfWork = UnitOfWork<ActingStores>;

import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { MessageContent, OpenedMessage } from "../../../messaging/public.ts";
import type { StandingChat } from "../../domain/acting.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import type { ConversationState } from "../../domain/conversation.ts";
import type { OpeningHours } from "../../domain/opening-hours.ts";
import type { TicketEnd } from "../../domain/ticket.ts";
import type { Viewer } from "../../domain/visibility.ts";
import type { Audience, ChatView, MessageView } from "../events.ts";
import type { AgentLine } from "../ports.ts";

/** A chat as it is before anything is locked. */
export interface SeenChat extends Omit<StandingChat, "chatId" | "state"> {
  readonly contactId: number;
  readonly isErased: boolean;
}

/** A chat whose row is locked until the transaction ends. */
export interface HeldChat extends StandingChat {
  readonly businessId: number;
  readonly contactId: number;
  /** Digits; empty once the contact is erased. */
  readonly phone: string;
  readonly platformId: string;
  readonly isErased: boolean;
  readonly audience: Audience;
  /** The open conversation, else the last one; null where there was none. */
  readonly conversationId: number | null;
  readonly businessName: string;
  /** Of the viewer, where it is a user. */
  readonly userName: string | null;
}

export interface OpenConversation {
  readonly conversationId: number;
  /** It was opened only now. */
  readonly isNew: boolean;
}

export interface MessageToOpen {
  readonly chat: HeldChat;
  readonly conversationId: number;
  readonly content: MessageContent;
  /** What it leaves by. */
  readonly channel: string;
  readonly to: string;
  readonly author: { readonly kind: "user" | "business"; readonly name: string; readonly userId: number | null };
  readonly templateId: number | null;
  readonly replyTo: { readonly id: number; readonly platformMessageId: string | null } | null;
}

export interface NewNote {
  readonly chat: HeldChat;
  readonly conversationId: number;
  readonly body: string;
  readonly author: MessageToOpen["author"];
  readonly replyToId: number | null;
}

export interface ChatChange {
  /** As it was when it was locked. */
  readonly chat: HeldChat;
  /** The agents who have more or fewer open tickets; null where its tickets are as they were. */
  readonly ticketsOf: readonly number[] | null;
}

/** A department as a line of agents, with what decides whether it is open. */
export interface DepartmentLine extends AgentLine {
  readonly departmentId: number;
  readonly openingHours: OpeningHours | null;
  readonly timezone: string | null;
}

/**
 * Whose chats they are, in one transaction. A conversation is locked before its chat, as everywhere: `openConversation`
 * or `lockOpen` comes before `hold`.
 */
export interface ChatDesk {
  /** Locks the open conversation, or opens one in this state; null where the business has no such chat. */
  openConversation(businessId: number, chatId: number, begins: ConversationState): Promise<OpenConversation | null>;
  /** Null for a chat that the viewer may not see, and could not if nobody had it. */
  hold(viewer: Viewer, chatId: number): Promise<HeldChat | null>;
  /**
   * Opens a conversation in a chat that never had one, before `hold`: a note needs one, and opens none in a chat that
   * is closed.
   */
  enterFirst(businessId: number, chatId: number, begins: ConversationState): Promise<void>;
  /** Locks the open conversations of these chats, before any of the chats is held; how many there are. */
  lockOpen(businessId: number, chatIds: readonly number[]): Promise<number>;
  /**
   * The agent has it in hand, its conversation and its open tickets; it waits no more. With a department, it is the one
   * that it waited for last. The agents who have more or fewer open tickets with it.
   */
  attend(chat: HeldChat, agentId: number, departmentId?: number): Promise<number[]>;
  /**
   * Nobody has it, nor its open tickets; it waits for the department, or for the one it waited for last. As `attend`,
   * the agents who have fewer tickets.
   */
  queue(chat: HeldChat, departmentId: number | null): Promise<number[]>;
  /** Ends its conversation and its open tickets; the bot attends what comes next. As `attend`. */
  close(chat: HeldChat, end: TicketEnd, reason: string | null): Promise<number[]>;
  /** Logs that the chats changed, and their tickets that are open or were closed in this transaction. Of one business. */
  announce(changes: readonly ChatChange[]): Promise<LoggedEvent[]>;
  view(businessId: number, chatId: number): Promise<ChatView>;
  /** An active one. */
  hasUser(businessId: number, userId: number): Promise<boolean>;
}

/** What is kept of a chat besides whose it is. */
export interface ChatMarks {
  /** False where it is so already. */
  setBot(businessId: number, chatId: number, isAvailable: boolean): Promise<boolean>;
  /** False where it is so already; rejects with `TagNotFound`. */
  tag(businessId: number, chatId: number, tagId: number): Promise<boolean>;
  untag(businessId: number, chatId: number, tagId: number): Promise<boolean>;
  /**
   * Marks as read up to the message. What the platform is to be told: its own id of the last message from the customer
   * that was read only now, null for none; undefined where nothing changed.
   */
  read(businessId: number, chatId: number, upTo: number): Promise<{ readonly receiptFor: string | null } | undefined>;
}

/** Where messages are entered into a chat that is held. */
export interface AnswerDesk {
  message(businessId: number, chatId: number, messageId: number): Promise<MessageToReply | null>;
  note(note: NewNote): Promise<{ readonly id: number; readonly events: readonly LoggedEvent[] }>;
  /** Enters a message under a lease: from the commit on it is sent at most once, by the caller. */
  openMessage(message: MessageToOpen): Promise<OpenedMessage>;
}

/** Chats that were handed to a department in which nobody was available. */
export interface WaitingChats {
  /** Departments of a business, or of all, for which chats wait, in a fixed order, at most 200, beginning after `after`. */
  lines(businessId: number | null, after: DepartmentLine | null): Promise<DepartmentLine[]>;
}

export interface LeavingUser {
  readonly businessId: number;
  readonly userId: number;
}

/** Users who attend no more: their access was taken, or the agent's role. */
export interface LeavingUsers {
  /** Those who may still have chats, of all businesses, at most 1,000. */
  list(): Promise<LeavingUser[]>;
  /** The ids of open chats that they have, or have a ticket of. */
  chats(user: LeavingUser, limit: number): Promise<number[]>;
  /** All was handed over. One who is not active stays among them as long as chats can come to them. */
  settle(user: LeavingUser): Promise<void>;
}

/** A department's line: its agents, and the chats that wait for them. */
export interface DepartmentDesk {
  department(businessId: number, departmentId: number): Promise<DepartmentLine | null>;
  /** As those of `TicketDesk`. */
  hold(line: AgentLine): Promise<Date>;
  tryHold(line: AgentLine): Promise<Date | null>;
  /** Those who are available, with the chats that they have in hand as part of their load, at most 500. */
  agents(line: DepartmentLine): Promise<AgentLoad[]>;
  /** These agents got a chat now: it is the others' turn. */
  noteGiven(businessId: number, agentIds: readonly number[]): Promise<void>;
  /** It waits in the line of a department in which nobody is available; in its place where it waits there already. */
  wait(businessId: number, chatId: number, departmentId: number): Promise<void>;
  /** Forgets those that are with somebody by now, are closed, or wait elsewhere. */
  forgetServed(line: DepartmentLine): Promise<void>;
  /** The ids of those that wait longest. */
  oldest(line: DepartmentLine, limit: number): Promise<number[]>;
}

/** All on one transaction. */
export interface ActingStores {
  readonly chats: ChatDesk;
  readonly marks: ChatMarks;
  readonly answers: AnswerDesk;
  readonly departments: DepartmentDesk;
}

export interface MessageToReply {
  readonly id: number;
  readonly platformMessageId: string | null;
}

/** What a quick reply may speak of; null for what nobody knows. */
export interface QuickReplyFacts {
  readonly contactName: string | null;
  /** Digits. */
  readonly contactPhone: string | null;
  readonly contactFields: Readonly<Record<string, unknown>> | null;
  /** The user who answers. */
  readonly agentName: string | null;
  readonly businessName: string;
}

/** Fills the placeholders of a quick reply. */
export type FillQuickReply = (text: string, facts: QuickReplyFacts) => string;

export interface QuickReply extends QuickReplyFacts {
  readonly body: string;
  readonly mediaUrl: string | null;
  readonly mediaType: string | null;
}

export interface ActingReads {
  message(businessId: number, messageId: number): Promise<MessageView | null>;
  /** With what it may speak of in this chat; nothing of a contact whom the viewer does not reach. */
  quickReply(viewer: Viewer, chatId: number, quickReplyId: number): Promise<QuickReply | null>;
  /** Null as for `ChatDesk.hold`. */
  chat(viewer: Viewer, chatId: number): Promise<SeenChat | null>;
}

export type ActingUnitOfWork = UnitOfWork<ActingStores>;

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

/** A chat whose row is locked until the transaction ends. */
export interface HeldChat extends StandingChat {
  readonly businessId: number;
  readonly contactId: number;
  readonly provider: string;
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

/** A department as a line of agents, with what decides whether it is open. */
export interface DepartmentLine extends AgentLine {
  readonly departmentId: number;
  readonly openingHours: OpeningHours | null;
  readonly timezone: string | null;
}

/**
 * Where chats are acted on, in one transaction. A conversation is locked before its chat, as everywhere:
 * `openConversation` comes before `hold`.
 */
export interface ChatDesk {
  /** Locks the open conversation, or opens one in this state; null where the business has no such chat. */
  openConversation(businessId: number, chatId: number, begins: ConversationState): Promise<OpenConversation | null>;
  /** Null for a chat that the viewer may not see, and could not if nobody had it. */
  hold(viewer: Viewer, chatId: number): Promise<HeldChat | null>;
  /** The agent has it in hand, its conversation and its open tickets; it waits no more. */
  attend(businessId: number, chatId: number, agentId: number): Promise<void>;
  /** Nobody has it; it waits for the department, or for the one it waited for last. */
  queue(businessId: number, chatId: number, departmentId: number | null): Promise<void>;
  /** It waits in the line of a department in which nobody is available. */
  wait(businessId: number, chatId: number, departmentId: number): Promise<void>;
  /** Ends its conversation and its open tickets; the bot attends what comes next. */
  close(businessId: number, chatId: number, end: TicketEnd, reason: string | null): Promise<void>;
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
  message(businessId: number, chatId: number, messageId: number): Promise<MessageToReply | null>;
  note(note: NewNote): Promise<{ readonly id: number; readonly events: readonly LoggedEvent[] }>;
  /** Enters a message under a lease: from the commit on it is sent at most once, by the caller. */
  openMessage(message: MessageToOpen): Promise<OpenedMessage>;
  /** Logs that the chat changed, and, if asked, its tickets that are open or were closed in this transaction. */
  announce(chat: HeldChat, withTickets: boolean): Promise<readonly LoggedEvent[]>;
  view(businessId: number, chatId: number): Promise<ChatView>;
  /** An active one. */
  hasUser(businessId: number, userId: number): Promise<boolean>;
  department(businessId: number, departmentId: number): Promise<DepartmentLine | null>;
  /** As those of `TicketDesk`. */
  holdLine(line: AgentLine): Promise<Date>;
  tryHoldLine(line: AgentLine): Promise<Date | null>;
  agents(line: AgentLine): Promise<AgentLoad[]>;
}

/** Chats that were handed to a department in which nobody was available. */
export interface WaitingChats {
  /** Departments for which chats wait, in a fixed order, at most 200, beginning after `after`. */
  lines(after: Pick<DepartmentLine, "businessId" | "departmentId"> | null): Promise<DepartmentLine[]>;
}

export interface WaitingDesk extends ChatDesk {
  /** Forgets those that are with somebody by now, are closed, or wait elsewhere. */
  forgetServed(line: DepartmentLine): Promise<void>;
  /** The ids of those that wait longest. */
  oldest(line: DepartmentLine, limit: number): Promise<number[]>;
}

export interface MessageToReply {
  readonly id: number;
  readonly platformMessageId: string | null;
}

export interface QuickReply {
  readonly body: string;
  readonly mediaUrl: string | null;
  readonly mediaType: string | null;
}

export interface ActingReads {
  message(businessId: number, messageId: number): Promise<MessageView | null>;
  quickReply(businessId: number, quickReplyId: number): Promise<QuickReply | null>;
  /** What a template needs to know of a chat: null as for `ChatDesk.hold`. */
  contactOf(viewer: Viewer, chatId: number): Promise<{ readonly contactId: number } | null>;
}

export type ActingUnitOfWork = UnitOfWork<WaitingDesk>;

import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { MessageContent, OpenedMessage } from "../../../messaging/public.ts";
import type { Holder } from "../../domain/acting.ts";
import type { AgentLoad } from "../../domain/assignment.ts";
import type { TicketSetup } from "../../domain/ticket.ts";
import type { Audience } from "../events.ts";
import type { AgentLine, AgentLines } from "../lines/ports.ts";

/** The fields of a script step of type ticket, as the step's row stores them. */
export const ticketStepFields = [
  ...(["id", "name", "identifier", "type", "content", "variable", "media", "mediaType", "mediaUrl"] as const),
  ...(["parentStepId", "description", "buttons", "optionsTitle", "options", "departmentId", "initial"] as const),
  ...(["catalogId", "businessId", "agent", "nextStepId", "loop", "aiPromptId", "structureId", "tags"] as const),
  ...(["mapsSearch", "mapsRadius", "helperData", "initiator", "catalogs", "checkBranch", "flowId"] as const),
  ...(["createdAt", "updatedAt"] as const),
];
export type TicketStep = Readonly<Record<(typeof ticketStepFields)[number], unknown>>;

export interface TicketSteps {
  /** Sorted by id, at most 5,000. */
  list(businessId: number): Promise<TicketStep[]>;
}

export interface TicketSetups {
  /**
   * `foreign`: the step belongs to another business. `missing`: no such step exists, or it is archived or not of type
   * ticket.
   */
  find(businessId: number, stepId: number): Promise<TicketSetup | "foreign" | "missing">;
}

export interface ConversationThread {
  readonly chatId: number;
  readonly conversationId: number;
}

export interface NewTicket extends ConversationThread {
  readonly stepId: number;
  readonly agentId: number;
  readonly tagIds: readonly number[];
}

export interface MadeTicket {
  readonly id: number;
  readonly chatId: number;
  /** Who could see the chat before the ticket was created. */
  readonly was: Audience;
}

export interface ThreadMessage extends ConversationThread {
  readonly content: MessageContent;
}

export interface ThreadNote extends ConversationThread {
  readonly body: string;
  readonly details: object;
}

/** The business in whose name a message or note is written. */
export interface Author {
  readonly businessId: number;
  readonly authorName: string;
}

/** Creates tickets, in one transaction. */
export interface TicketDesk {
  /**
   * Locks the contact's latest chat and its open conversation until the transaction ends. Contact, chat and
   * conversation are created if missing.
   */
  thread(businessId: number, phone: string, contactName: string): Promise<ConversationThread>;
  /** Null if no user has the chat. Locks the open conversation, then the chat, until the transaction ends. */
  holder(businessId: number, chatId: number): Promise<Holder | null>;
  openTicket(businessId: number, chatId: number, stepId: number): Promise<number | null>;
  /** Locks the threads' conversations that are still open, then their chats, until the transaction ends. */
  lockThreads(businessId: number, threads: readonly ConversationThread[]): Promise<void>;
  /** Available agents of the line or in `named`: those in `named` first, then the least busy. At most 500. */
  agents(line: AgentLine, named: readonly number[]): Promise<AgentLoad[]>;
  /**
   * Creates the tickets, at most one per chat: assigns agents, applies tags, takes conversations from the bot and
   * updates the funnel. The caller must lock chats and conversations.
   */
  create(businessId: number, tickets: readonly NewTicket[]): Promise<MadeTicket[]>;
  /** Logs events about the new tickets, their chats and their agents. */
  announce(businessId: number, tickets: readonly MadeTicket[]): Promise<LoggedEvent[]>;
  /** Adds notes that only agents see. Each note moves its chat to the top of the inbox. */
  note(author: Author, notes: readonly ThreadNote[]): Promise<LoggedEvent[]>;
  /** Stores messages to contacts, each under a lease. Only the caller may send them, once each, after the commit. */
  openMessages(author: Author, messages: readonly ThreadMessage[]): Promise<OpenedMessage[]>;
}

export interface WaitingTicket extends ConversationThread {
  readonly setup: TicketSetup;
}

export interface WaitingPlace {
  /** False if the contact was told to wait for this step in this conversation within the last ten minutes. */
  readonly isToBeTold: boolean;
  /** The event about the chat if it moved to another department; otherwise empty. */
  readonly events: readonly LoggedEvent[];
}

/** Tickets that are not created until an agent is available. */
export interface WaitingTickets {
  enter(businessId: number, thread: ConversationThread, stepId: number): Promise<WaitingPlace>;
  /** Removes waiting tickets whose conversation is closed or attended, or whose chat has an open ticket of the step. */
  forgetServed(line: AgentLine): Promise<void>;
  /** Leaves out tickets that were served or erased since they were read. Call it after the chats are locked. */
  stillWaiting(businessId: number, tickets: readonly WaitingTicket[]): Promise<WaitingTicket[]>;
  /** The agents named by the steps of the line's waiting tickets, at most 200. */
  namedAgents(line: AgentLine): Promise<number[]>;
  /** @param named - only tickets whose step names one of these agents; null for all */
  oldest(line: AgentLine, named: readonly number[] | null, limit: number): Promise<WaitingTicket[]>;
}

export interface TicketStores {
  readonly desk: TicketDesk;
  readonly waiting: WaitingTickets;
  readonly lines: AgentLines;
}

export type TicketUnitOfWork = UnitOfWork<TicketStores>;

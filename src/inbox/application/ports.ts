import type { ChatChannelName } from "../../kernel/channels.ts";
import type { LoggedEvent } from "../../kernel/events.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { DeliveryStatus, MessageContent, OpenedMessage, TemplateNews } from "../../messaging/public.ts";
import type { Holder } from "../domain/acting.ts";
import type { AgentLoad } from "../domain/assignment.ts";
import type { CatalogLine, IncomingNews, ProvenSender, WebhookNews } from "../domain/incoming.ts";
import type { OpeningHours } from "../domain/opening-hours.ts";
import type { TicketSetup } from "../domain/ticket.ts";
import type { Audience } from "./events.ts";

/** What customers and platform tell. Nothing is stored twice, however often and in whatever order it is told. */
export interface IncomingStore {
  record(news: IncomingNews, options?: { readonly isAgain: boolean }): Promise<Recorded>;
}

export interface Recorded {
  readonly events: readonly LoggedEvent[];
  /** News that is dropped. */
  readonly dropped: ReadonlyMap<DropReason, number>;
  /** Something may wait for a message that was stored, or for one that is not known yet. */
  readonly hasEarly: boolean;
  /** Files came with messages. */
  readonly hasFiles: boolean;
  /** To be removed once the transaction is committed. */
  readonly withdrawn: readonly StoredFiles[];
}

/** Why a piece of news changes nothing: it names a sender, a message or a chat that is not here. */
export const dropReasons = ["unknown_sender", "unknown_message", "unknown_chat"] as const;
export type DropReason = (typeof dropReasons)[number];

export interface StoredFiles {
  readonly businessId: number;
  readonly names: readonly string[];
}

/** Delivery statuses that came before anybody knew which message they are of; kept for a quarter of an hour. */
export interface EarlyStatuses {
  /** Those that have some whose message is known by now. */
  channels(): Promise<readonly ChatChannelName[]>;
  /** Takes some of these. */
  take(channel: ChatChannelName, limit: number): Promise<readonly DeliveryStatus[]>;
  /** Takes some of what customers did with messages that are known by now. */
  takeNews(
    channel: ChatChannelName,
    limit: number,
  ): Promise<Pick<IncomingNews, "reactions" | "edits" | "withdrawals" | "replies">>;
  /** Forgets some that no message has claimed in time; how many. */
  purge(): Promise<number>;
}

/** What a customer ordered with a message of a chat. */
export interface CustomerOrder {
  readonly businessId: number;
  readonly chatId: number;
  readonly messageId: number;
  readonly lines: readonly CatalogLine[];
}

interface MadeOrder {
  readonly businessId: number;
  readonly id: number;
}

/** Who makes orders of what customers put together from a catalog, in the same transaction. */
export interface CustomerOrders {
  /** Makes one order of a message at most. Locks what orders lock, but counters of events: after all chats. */
  make(orders: readonly CustomerOrder[]): Promise<readonly MadeOrder[]>;
  /** Logs that they are there: the last thing that the transaction does. */
  tell(made: readonly MadeOrder[]): Promise<LoggedEvent[]>;
}

export interface KeptWebhook {
  readonly id: number;
  readonly payload: string;
  /** The sender that the webhook's address named; null where it named none. */
  readonly about: ProvenSender | null;
}

/** Where a webhook came in. */
export interface WebhookOrigin {
  readonly channel: ChatChannelName;
  readonly about: ProvenSender | null;
  /** The only business that it concerns, where that is known. */
  readonly businessId?: number;
}

export interface WebhookCounts {
  readonly due: number;
  /** Put off after a failure. */
  readonly postponed: number;
  /** Kept for an operator only. */
  readonly givenUp: number;
}

export interface ArrivedWebhook {
  readonly payload: string;
  readonly origin: WebhookOrigin;
}

/** What one transaction works off at most; one webhook may be larger. */
export interface ClaimLimit {
  readonly webhooks: number;
  readonly bytes: number;
}

export interface WebhookQueue {
  /** All of them or none. */
  keepAll(arrived: readonly ArrivedWebhook[]): Promise<void>;
  /** The channel's oldest that are due, held against other workers until the transaction ends. */
  claim(channel: ChatChannelName, limit: ClaimLimit): Promise<KeptWebhook[]>;
  remove(ids: readonly number[]): Promise<void>;
  /**
   * Puts one off after a failure, a little longer each time; the tenth failure is the last. Failures that say nothing
   * of the webhook, such as a database that is away, do not count; a statement that takes too long does.
   */
  postpone(id: number, error: unknown): Promise<void>;
  /** How many are kept, counted up to 100,000. */
  counts(): Promise<WebhookCounts>;
  /** Makes at most 10,000 of those that were given up on due again, as if they had just come; how many. */
  retryGivenUp(): Promise<number>;
  /** Forgets what was given up on more than `days` ago; how many. */
  purge(days: number): Promise<number>;
}

/** Whoever else keeps something of messages that were sent, and moves it in the same transaction. */
export interface DeliveryListener {
  /** What is to be done once the transaction is committed; it must not throw. */
  apply(statuses: readonly DeliveryStatus[]): Promise<() => void>;
}

/** Who keeps the templates that are sent. */
export interface TemplateListener {
  /** What is to be done once the transaction is committed; it must not throw. */
  apply(news: readonly TemplateNews[]): Promise<() => void>;
}

/** Senders as webhooks prove them: whose a sender was when the secret of its webhook was given. */
export interface ProvenSenders {
  /** Tells which of them are their owners' to this day. Those without an owner count as such. */
  stillThere(channel: ChatChannelName, proven: readonly ProvenSender[]): Promise<(sender: ProvenSender) => boolean>;
}

export interface IncomingStores {
  readonly queue: WebhookQueue;
  readonly early: EarlyStatuses;
  readonly senders: ProvenSenders;
  readonly templates: TemplateListener;
  incoming(channel: ChatChannelName): IncomingStore;
  deliveries(channel: ChatChannelName): DeliveryListener;
}

export type IncomingUnitOfWork = UnitOfWork<IncomingStores>;

/** Reads a webhook's payload; what it does not understand it leaves out. */
export type ReadWebhook = (payload: string, about: ProvenSender | null) => WebhookNews;

/** By channel, those whose webhooks are read. */
export type WebhookReaders = Readonly<Partial<Record<ChatChannelName, ReadWebhook>>>;

/** A script step that opens a ticket. Timestamps in UTC; fields that are JSON text are given as they are stored. */
export interface TicketStep {
  readonly id: number;
  readonly name: string;
  readonly identifier: string;
  readonly type: string;
  readonly content: string;
  readonly variable: string;
  readonly media: string | null;
  readonly mediaType: string | null;
  readonly mediaUrl: string | null;
  readonly parentStepId: number | null;
  readonly description: string | null;
  readonly buttons: string | null;
  readonly optionsTitle: string | null;
  readonly options: string | null;
  readonly departmentId: number | null;
  readonly initial: boolean;
  readonly catalogId: number | null;
  readonly businessId: number;
  readonly agent: string | null;
  readonly nextStepId: number | null;
  readonly loop: boolean;
  readonly aiPromptId: number | null;
  readonly structureId: number | null;
  readonly tags: string | null;
  readonly mapsSearch: string | null;
  readonly mapsRadius: number | null;
  readonly helperData: object | null;
  readonly initiator: string | null;
  readonly catalogs: string | null;
  readonly checkBranch: boolean | null;
  readonly flowId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface TicketSteps {
  /** In the order of their ids, at most 5,000. */
  list(businessId: number): Promise<TicketStep[]>;
}

export interface TicketSetups {
  /** What a step of type ticket says; otherwise whose it is, if anybody's. */
  find(businessId: number, stepId: number): Promise<TicketSetup | "foreign" | "missing">;
}

/** Those who wait for the same agents: of one department or, without one, of the whole business. */
export interface AgentLine {
  readonly businessId: number;
  readonly departmentId: number | null;
}

/** Where a conversation with a contact takes place. */
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
  /** Who could see its chat before. */
  readonly was: Audience;
}

export interface ThreadMessage extends ConversationThread {
  readonly content: MessageContent;
}

export interface ThreadNote extends ConversationThread {
  readonly body: string;
  readonly details: object;
}

/** Who speaks in the name of a business. */
export interface Author {
  readonly businessId: number;
  readonly authorName: string;
}

/** Where tickets are made, in one transaction. */
export interface TicketDesk {
  /**
   * Waits until nobody else gives this line's agents tickets, and keeps others waiting until the transaction ends;
   * the database's time.
   */
  hold(line: AgentLine): Promise<Date>;
  /** The same without waiting: null when somebody else holds it. */
  tryHold(line: AgentLine): Promise<Date | null>;
  /**
   * The contact's latest chat and its open conversation, both locked until the transaction ends; contact, chat and
   * conversation are made where they are missing.
   */
  thread(businessId: number, phone: string, contactName: string): Promise<ConversationThread>;
  /** Who has the chat, which stays so until the transaction ends. */
  holder(businessId: number, chatId: number): Promise<Holder | null>;
  openTicket(businessId: number, chatId: number, stepId: number): Promise<number | null>;
  /** Locks those of these conversations that are open, and then their chats, until the transaction ends. */
  lockThreads(businessId: number, threads: readonly ConversationThread[]): Promise<void>;
  /** Those of the line and those in `named` who are available, the least busy ones first, at most 500. */
  agents(line: AgentLine, named: readonly number[]): Promise<AgentLoad[]>;
  /**
   * Makes the tickets, at most one for each chat: agents assigned, tags applied, conversations taken from the bot,
   * told to the funnel. Chats and conversations are locked by the caller.
   */
  create(businessId: number, tickets: readonly NewTicket[]): Promise<MadeTicket[]>;
  /** Logs that the tickets are there, and whose chats they made of theirs. */
  announce(businessId: number, tickets: readonly MadeTicket[]): Promise<LoggedEvent[]>;
  /** Enters notes that only agents read, and moves their chats to the top of the inbox. */
  note(author: Author, notes: readonly ThreadNote[]): Promise<LoggedEvent[]>;
  /**
   * Enters messages to the contacts and takes them under a lease: from the commit on each is sent at most once, by the
   * caller.
   */
  openMessages(author: Author, messages: readonly ThreadMessage[]): Promise<OpenedMessage[]>;
}

export interface WaitingTicket extends ConversationThread {
  readonly setup: TicketSetup;
}

export interface WaitingLine extends AgentLine {
  readonly openingHours: OpeningHours | null;
  readonly timezone: string | null;
}

export interface WaitingPlace {
  /** The contact is to be told that they wait: not when that was done in the last ten minutes. */
  readonly isToBeTold: boolean;
  /** That the chat waits for another department now. */
  readonly events: readonly LoggedEvent[];
}

/** What waits for an agent. */
export interface WaitingTickets {
  enter(businessId: number, thread: ConversationThread, stepId: number): Promise<WaitingPlace>;
  /** Forgets those whose conversation is closed or in an agent's hands by now, or has its ticket. */
  forgetServed(line: AgentLine): Promise<void>;
  /** Those of the given that are not served and not erased by now; asked once their chats are locked. */
  stillWaiting(businessId: number, tickets: readonly WaitingTicket[]): Promise<WaitingTicket[]>;
  /** The agents whom the steps name, at most 200. */
  namedAgents(line: AgentLine): Promise<number[]>;
  /**
   * Those that wait longest, at most `limit`.
   *
   * @param named - only those whose step names one of these agents; all of them when null
   */
  oldest(line: AgentLine, named: readonly number[] | null, limit: number): Promise<WaitingTicket[]>;
}

export interface WaitingLines {
  /** Lines of a business, or of all, in which somebody waits, in a fixed order, at most 200, beginning after `after`. */
  list(businessId: number | null, after: AgentLine | null): Promise<WaitingLine[]>;
}

export interface TicketStores {
  readonly desk: TicketDesk;
  readonly waiting: WaitingTickets;
}

export type TicketUnitOfWork = UnitOfWork<TicketStores>;

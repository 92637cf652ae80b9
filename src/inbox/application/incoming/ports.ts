import type { ChatChannelName } from "../../../kernel/channels.ts";
import type { LoggedEvent } from "../../../kernel/events.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { DeliveryStatus, TemplateNews } from "../../../messaging/public.ts";
import type {
  CatalogLine,
  IncomingNews,
  NamedParties,
  NewsOfMessages,
  ProvenSender,
  WebhookNews,
} from "../../domain/incoming.ts";

/** Stores the platforms' news. News may arrive repeatedly and in any order. */
export interface IncomingStore {
  record(news: IncomingNews, options?: RecordOptions): Promise<Recorded>;
}

export interface RecordOptions {
  /** True if the news came before its message, was kept, and is retried now. */
  readonly isAgain?: boolean;
  /** Businesses of another cell with rows in this cell. News about accounts and their numbers skips these rows. */
  readonly elsewhere?: readonly number[];
}

export interface Recorded {
  readonly events: readonly LoggedEvent[];
  /** The number of dropped news items by reason. */
  readonly dropped: ReadonlyMap<DropReason, number>;
  /**
   * True if early news should be retried: its message is known now, or may have been stored at the same moment as the
   * news.
   */
  readonly hasEarly: boolean;
  /** Files have to be downloaded. */
  readonly hasFiles: boolean;
  /** Files to delete after the commit. */
  readonly withdrawn: readonly StoredFiles[];
}

/** The news's sender, message or chat is not stored here. `unknown_message` also counts early news that is kept. */
export type DropReason = "unknown_sender" | "unknown_message" | "unknown_chat";

export interface StoredFiles {
  readonly businessId: number;
  readonly names: readonly string[];
}

/** Delivery statuses and other news whose message was not known yet. They are kept for up to 15 minutes. */
export interface EarlyStatuses {
  /** Channels with statuses or other early news whose message is known by now. */
  channels(): Promise<readonly ChatChannelName[]>;
  /** Removes and returns up to `limit` statuses whose message is known by now. */
  take(channel: ChatChannelName, limit: number): Promise<readonly DeliveryStatus[]>;
  /** Like `take`, for other news about messages. */
  takeNews(channel: ChatChannelName, limit: number): Promise<NewsOfMessages>;
  /** Deletes a batch of expired statuses and other early news; returns their number. */
  purge(): Promise<number>;
}

/** The order that a customer sent in a chat message. */
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

/** Creates orders from catalog messages, in the transaction that stores the messages. */
export interface CustomerOrders {
  /**
   * Creates at most one order per message. Locks order counters, so call it after all chats are locked and before
   * events are logged.
   */
  make(orders: readonly CustomerOrder[]): Promise<readonly MadeOrder[]>;
  /** Logs events about the orders. Call it last in the transaction. */
  announce(made: readonly MadeOrder[]): Promise<LoggedEvent[]>;
}

export interface ClaimedWebhook {
  readonly id: number;
  readonly payload: string;
  /** The sender that the webhook was proven to concern; null if the proof names no sender. */
  readonly about: ProvenSender | null;
  /** Some businesses of another cell still have rows in this cell, so `handOver` must be called. */
  readonly isAnyoneElsewhere: boolean;
}

/** A sender in this cell whose business lives in another one. */
export interface SenderElsewhere {
  readonly businessId: number;
  readonly sender: string;
}

/** How a webhook arrived. */
export interface WebhookOrigin {
  readonly channel: ChatChannelName;
  readonly about: ProvenSender | null;
  /** The only business that the webhook concerns, if that is known. */
  readonly businessId?: number;
}

export interface WebhookCounts {
  readonly due: number;
  /** Delayed after a failure. */
  readonly postponed: number;
  /** Webhooks that failed for good. They are kept for an operator. */
  readonly givenUp: number;
}

export interface ArrivedWebhook {
  readonly payload: string;
  readonly origin: WebhookOrigin;
}

/** Limits of one transaction. The last webhook may take the total above `bytes`. */
export interface ClaimLimit {
  readonly webhooks: number;
  readonly bytes: number;
}

export interface IncomingQueue {
  /** Stores all or none. */
  keepAll(arrived: readonly ArrivedWebhook[]): Promise<void>;
  /** Locks the channel's oldest due webhooks until the transaction ends. */
  claim(channel: ChatChannelName, limit: ClaimLimit): Promise<ClaimedWebhook[]>;
  /**
   * Looks up the senders that the webhooks name, by sender id or by account. Returns those whose business lives in
   * another cell. Stores a copy of the webhook for each of these businesses, to be moved to the business's cell later.
   * A webhook that was stored for one known business is not copied.
   */
  handOver(
    channel: ChatChannelName,
    webhooks: readonly (NamedParties & Pick<ClaimedWebhook, "id">)[],
  ): Promise<readonly SenderElsewhere[]>;
  remove(ids: readonly number[]): Promise<void>;
  /**
   * Delays a webhook after a failure, longer each time; the tenth failure is final. Failures of the database itself
   * do not count, except for statement timeouts.
   */
  postpone(id: number, error: unknown): Promise<void>;
  /** Counts at most 100,000 webhooks in each cell. */
  counts(): Promise<WebhookCounts>;
  /** Makes up to 10,000 given-up webhooks due again with a fresh count of failures; returns their number. */
  retryGivenUp(): Promise<number>;
  /** Deletes up to 10,000 webhooks that were given up more than `days` ago; returns their number. */
  purge(days: number): Promise<number>;
}

/** Applies news to the data of other features, in the transaction that records the news. */
interface Listener<News> {
  /**
   * The returned function runs after the commit and must not throw.
   *
   * @param elsewhere - businesses of another cell that still have rows in this cell; these rows are not changed
   */
  apply(news: readonly News[], elsewhere?: readonly number[]): Promise<() => void>;
}

/** Checks whether senders still belong to the owners that were proven by the webhooks' secrets. */
export interface ProvenSenders {
  /** The returned function returns true if the owner still has the sender, or if no owner was proven. */
  stillThere(channel: ChatChannelName, proven: readonly ProvenSender[]): Promise<(sender: ProvenSender) => boolean>;
}

export interface IncomingStores {
  readonly queue: IncomingQueue;
  readonly early: EarlyStatuses;
  readonly senders: ProvenSenders;
  readonly templates: Listener<TemplateNews>;
  incoming(channel: ChatChannelName): IncomingStore;
  deliveries(channel: ChatChannelName): Listener<DeliveryStatus>;
}

export type IncomingUnitOfWork = UnitOfWork<IncomingStores>;

/** Parses a payload and leaves out the parts that it does not understand. */
export type ReadWebhook = (payload: string, about: ProvenSender | null) => WebhookNews;

/** Stored webhooks are processed only for the channels that have a reader here. */
export type WebhookReaders = Readonly<Partial<Record<ChatChannelName, ReadWebhook>>>;

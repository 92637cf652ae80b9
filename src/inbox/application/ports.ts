import type { LoggedEvent } from "../../kernel/events.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { IncomingNews } from "../domain/incoming.ts";

/** A message about to be sent to a number that may be new to the business. */
export interface OutgoingMessage {
  readonly businessId: number;
  /** The channel it leaves by, for instance `platform-apicloud`. */
  readonly provider: string;
  /** Digits only. */
  readonly phone: string;
  /** Names the contact if it has to be made. */
  readonly contactName: string;
  readonly kind: string;
  /** The text as the customer reads it. */
  readonly body: string;
  readonly mediaUrl?: string;
  readonly templateId?: number;
  /** Who it is attributed to. */
  readonly authorName: string;
}

/** A message on its way: entered in its conversation and held under a lease until it is settled. */
export interface MessageUnderWay {
  readonly businessId: number;
  readonly id: number;
  readonly attempt: number;
  /** Goes out with the message and comes back in its delivery statuses. */
  readonly reference: string;
}

export type Settlement =
  | { readonly state: "sent"; readonly platformMessageId: string; readonly recipientId?: string }
  | { readonly state: "failed"; readonly code?: number; readonly reason: string; readonly optedOut: boolean }
  | { readonly state: "unknown"; readonly reason: string };

/** Outgoing messages in their conversations. Every change comes with the events that announce it. */
export interface OutgoingMessages {
  /**
   * Enters a message and takes it under a lease, in one step: from here on it is sent at most once, by the
   * caller. Makes contact, chat and conversation where they are missing.
   */
  open(message: OutgoingMessage): Promise<MessageUnderWay>;
  /** Writes down what came of it, unless a delivery status already told more. */
  settle(message: MessageUnderWay, settlement: Settlement): Promise<LoggedEvent[]>;
  /** Marks as unknown, at most `limit` at a time, what was under way when its process died. */
  settleExpired(limit: number): Promise<LoggedEvent[]>;
}

/** What customers and platform tell. Nothing is stored twice, however often and in whatever order it is told. */
export interface IncomingStore {
  record(news: IncomingNews): Promise<LoggedEvent[]>;
}

export interface KeptWebhook {
  readonly id: number;
  readonly payload: string;
}

export interface WebhookQueue {
  keep(payload: string): Promise<void>;
  /** The oldest that are due, held against other workers until the transaction ends. */
  claim(limit: number): Promise<KeptWebhook[]>;
  remove(ids: readonly number[]): Promise<void>;
  /** Puts one off after a failure, a little longer each time; the tenth failure is the last. */
  postpone(id: number, error: string): Promise<void>;
  /** Forgets what was given up on more than `days` ago; how many. */
  purge(days: number): Promise<number>;
}

export interface IncomingStores {
  readonly queue: WebhookQueue;
  readonly incoming: IncomingStore;
}

export type IncomingUnitOfWork = UnitOfWork<IncomingStores>;

/** Reads a webhook's payload; what it does not understand it leaves out. */
export type ReadWebhook = (payload: string) => IncomingNews;

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

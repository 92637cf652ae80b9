import type { DoneBy } from "../../kernel/audit.ts";
import type { LoggedEvent } from "../../kernel/events.ts";
import type { DeliveryState } from "../domain/deliveries.ts";

/** While a process holds the lease, no other process delivers to this endpoint. */
export interface EndpointLease {
  readonly businessId: number;
  readonly webhookId: number;
  readonly token: string;
}

export interface ClaimedDelivery {
  readonly id: number;
  readonly subject: string;
  /** Failures since the delivery was made, redelivered or replayed. */
  readonly failures: number;
}

/** What an attempt needs, read right before it. */
export interface OpenDelivery {
  readonly event: LoggedEvent;
  readonly type: string;
  readonly url: string;
  /** 1 for the endpoint's first address, and one more with each change of the address. */
  readonly addressNumber: number;
  /** The secrets that sign: the present one and, for a time after a change, the previous one. */
  readonly secrets: readonly string[];
}

export interface Attempt {
  /** Null without an answer. */
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly answer: string | null;
  /** Why there was no answer. */
  readonly error: string | null;
  /** The address is not allowed for webhooks, so the delivery is not tried again. */
  readonly isFinal?: true;
}

export interface DeliveryQueue {
  /** Makes deliveries of some new events for up to `endpoints` endpoints per cell. Returns how many had new events. */
  fanOut(endpoints: number): Promise<number>;
  /** Leases endpoints with due deliveries, at most `limit` in each cell. */
  lease(limit: number): Promise<EndpointLease[]>;
  /**
   * Renews the lease and claims due deliveries: at most `limit` without failures, in the order of their events, and at
   * most `limit` with failures. Null if the lease is lost, or the endpoint is disabled or removed.
   */
  claim(lease: EndpointLease, limit: number): Promise<ClaimedDelivery[] | null>;
  /** Null if the delivery needs no attempt any more, or the lease is lost or ends too soon for an attempt. */
  open(lease: EndpointLease, deliveryId: number): Promise<OpenDelivery | null>;
  /**
   * Stores the result. True if all attempts at the endpoint's present address have failed for so long that the endpoint
   * has to be disabled.
   */
  settle(lease: EndpointLease, deliveryId: number, addressNumber: number, attempt: Attempt): Promise<boolean>;
  release(lease: EndpointLease): Promise<void>;
}

export interface DeliveryUpkeep {
  /**
   * Marks waiting deliveries as failed if their endpoint is disabled, or was disabled while they waited.
   * Deletes events that were last copied from the log more than `keptDays` ago.
   */
  tidy(signal?: AbortSignal): Promise<void>;
  counts(): Promise<DeliveryCounts>;
}

export interface DeliveryCounts {
  readonly waiting: number;
  readonly failed: number;
  /** Disabled endpoints. */
  readonly disabled: number;
  /** The longest time for which a waiting delivery has been due, in seconds. */
  readonly oldest: number;
}

export interface WebhookRequest {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** Sends one request. Never rejects. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<Attempt>;
}

/** Returns the event's payload as it is sent to a socket client that may see everything. */
export type EventToWire = (event: LoggedEvent) => object;

/** The endpoint's fields in the audit. */
export interface ShownWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly disabled: boolean;
}

export interface StoredWebhooks {
  /** Locks the endpoint. Null if there is none. */
  lock(businessId: number, webhookId: number): Promise<ShownWebhook | null>;
  /** False, without a change, if the endpoint has another address by now. */
  disable(businessId: number, webhookId: number, addressNumber: number): Promise<boolean>;
  rotate(businessId: number, webhookId: number, sealed: Uint8Array): Promise<{ readonly previousUntil: Date }>;
  /** Returns the id of a new delivery. */
  test(businessId: number, webhookId: number): Promise<number>;
  /** False if there is no such delivery. */
  redeliver(businessId: number, webhookId: number, deliveryId: number): Promise<boolean>;
  /** False if the moment is out of range. */
  replay(businessId: number, webhookId: number, since: Date): Promise<boolean>;
}

export interface WebhookStores {
  readonly webhooks: StoredWebhooks;
  /** Adds an entry to the audit. */
  note(businessId: number, by: DoneBy, webhookId: number, before: object, after: object): Promise<void>;
}

export interface Delivery {
  readonly id: number;
  readonly number: number;
  readonly type: string;
  readonly at: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  /** Null unless the delivery waits. */
  readonly dueAt: Date | null;
  readonly status: number | null;
  readonly answer: string | null;
  readonly error: string | null;
}

export interface WholeDelivery {
  readonly delivery: Delivery;
  readonly event: LoggedEvent;
}

export interface AskedDeliveries {
  readonly state: DeliveryState | null;
  readonly before: number | null;
  readonly limit: number;
}

export interface DeliveryReads {
  /** Newest first. Returns one more than `limit` if there are more; null if there is no such webhook. */
  list(businessId: number, webhookId: number, asked: AskedDeliveries): Promise<Delivery[] | null>;
  /** The delivery and its event, without erased data. */
  find(businessId: number, webhookId: number, deliveryId: number): Promise<WholeDelivery | null>;
}

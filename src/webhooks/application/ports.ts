import type { DoneBy } from "../../kernel/audit.ts";
import type { LoggedEvent } from "../../kernel/events.ts";
import type { DeliveryState } from "../domain/deliveries.ts";

/** Of one business: no other process delivers to the endpoint while the lease holds. */
export interface EndpointLease {
  readonly businessId: number;
  readonly webhookId: number;
  readonly token: string;
}

/** A delivery that its process is to attempt. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly subject: string;
  /** Of these in a row; 0 for one that was not attempted since it was begun. */
  readonly failures: number;
}

/** All that an attempt needs, as it stands right before. */
export interface OpenDelivery {
  readonly event: LoggedEvent;
  readonly type: string;
  readonly url: string;
  /** Of the addresses that the endpoint has had: its first is 1. */
  readonly addressNumber: number;
  /** The one that is valid, and the one before it where it still is. */
  readonly secrets: readonly string[];
}

/** What came of an attempt. */
export interface Attempt {
  /** Null without an answer. */
  readonly status: number | null;
  /** Its beginning. */
  readonly answer: string | null;
  /** Why there was none. */
  readonly error: string | null;
  /** The address is never delivered to, so that another attempt would end in the same way. */
  readonly isFinal?: true;
}

export interface Settled {
  /** Every attempt at the endpoint's present address has failed for so long that it is to be disabled. */
  readonly isHopeless: boolean;
}

export interface DeliveryQueue {
  /** Gives some of the events that came since to the endpoints that hear of them; at how many endpoints it looked. */
  fanOut(endpoints: number): Promise<number>;
  /** Takes endpoints for which something is due. */
  lease(limit: number): Promise<EndpointLease[]>;
  /**
   * Takes deliveries that are due, at most `limit` that were never attempted, in the order of their events, and as many
   * others; renews the lease. Null where the lease is lost, or the endpoint disabled or removed.
   */
  claim(lease: EndpointLease, limit: number): Promise<ClaimedDelivery[] | null>;
  /** Null where there is nothing to attempt any more. */
  open(lease: EndpointLease, deliveryId: number): Promise<OpenDelivery | null>;
  /** @param addressNumber - of the address that was asked */
  settle(lease: EndpointLease, deliveryId: number, addressNumber: number, attempt: Attempt): Promise<Settled>;
  release(lease: EndpointLease): Promise<void>;
  /** Fails what waits for endpoints that are disabled; deletes what is older. */
  tidy(days: number): Promise<void>;
  counts(): Promise<DeliveryCounts>;
}

export interface DeliveryCounts {
  readonly waiting: number;
  readonly failed: number;
  /** Endpoints. */
  readonly disabled: number;
  /** Seconds for which the oldest has been due. */
  readonly oldest: number;
}

export interface WebhookRequest {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** Asks once; never rejects. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<Attempt>;
}

/** What clients of the sockets get of an event, where they hear everything. */
export type SpellEvent = (event: LoggedEvent) => object;

/** The endpoint as the audit shows it. */
export interface ShownWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly disabled: boolean;
}

export interface StoredWebhooks {
  /** Locks it; null where there is none. */
  lock(businessId: number, webhookId: number): Promise<ShownWebhook | null>;
  /** False, and nothing is changed, where the endpoint has got another address. */
  disable(businessId: number, webhookId: number, addressNumber: number): Promise<boolean>;
  rotate(businessId: number, webhookId: number, sealed: Uint8Array): Promise<{ readonly previousUntil: Date }>;
  /** The id of a new delivery. */
  test(businessId: number, webhookId: number): Promise<number>;
  /** False where it has no such delivery. */
  redeliver(businessId: number, webhookId: number, deliveryId: number): Promise<boolean>;
  /** False where the moment is out of range. */
  replay(businessId: number, webhookId: number, since: Date): Promise<boolean>;
}

export interface WebhookStores {
  readonly webhooks: StoredWebhooks;
  /** In the audit; `by` is null for the system. */
  note(businessId: number, by: DoneBy | null, webhookId: number, before: object, after: object): Promise<void>;
}

export interface Delivery {
  readonly id: number;
  readonly number: number;
  readonly type: string;
  readonly at: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  /** Null unless it waits. */
  readonly dueAt: Date | null;
  readonly status: number | null;
  readonly answer: string | null;
  readonly error: string | null;
}

export interface DeliveryReads {
  /** The latest first, one more than `limit` where there are more; null where there is no such webhook. */
  list(
    businessId: number,
    webhookId: number,
    state: DeliveryState | null,
    before: number | null,
    limit: number,
  ): Promise<Delivery[] | null>;
  find(businessId: number, webhookId: number, deliveryId: number): Promise<Delivery | null>;
  /** With the event that it is about, as far as that was not erased. */
  findWhole(
    businessId: number,
    webhookId: number,
    deliveryId: number,
  ): Promise<{ readonly delivery: Delivery; readonly event: LoggedEvent } | null>;
}

import { DomainError } from "../../kernel/errors.ts";
import type { WebhookEvent } from "../../kernel/webhook-events.ts";

/** By the name of a logged event: what endpoints call it. Both events with which the row of a chat changes are one here. */
export const typeOf: Readonly<Record<string, WebhookEvent>> = {
  "message:new": "message.new",
  "message:status": "message.status",
  "chat:changed": "chat.changed",
  "inbox:reorder": "chat.changed",
  "ticket:new": "ticket.new",
  "ticket:changed": "ticket.changed",
  "order:changed": "order.changed",
  "campaign:progress": "campaign.finished",
  "contact:changed": "contact.changed",
};

/** Of an endpoint that is tried out. */
export const testType = "webhook.test";

export const deliveryStates = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

const minute = 60;
const hour = 60 * minute;
/** Seconds after which a delivery is tried again: after the first failure, the second and so on. Then it is given up. */
export const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** A pause is longer by up to this part of it, so that what failed together does not come back together. */
export const jitter = 0.1;

/** An endpoint at which every attempt failed for so long is disabled. */
export const failingDays = 5;
/** For which the secret before the last one still signs. */
export const previousSecretHours = 24;
/** For which events, their deliveries and payloads are kept. */
export const keptDays = 7;
/** How far back a replay may begin: as long as the log is kept. */
export const replayHours = 72;

/** The receiver wants nothing any more. */
export const isGone = (status: number | null): boolean => status === 410;
export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** The same in every attempt, by whatever process, so that a receiver can drop what it has. */
export const webhookIdOf = (businessId: number, number: number): string =>
  number < 0 ? `test_${businessId}_${-number}` : `evt_${businessId}_${number}`;

export class WebhookNotFound extends DomainError<"not_found"> {
  readonly code = "not_found";
}

/** Nothing is delivered to an endpoint that is disabled. */
export class WebhookDisabled extends DomainError<"disabled"> {
  readonly code = "disabled";
}

/** A replay's beginning is no date. */
export class SinceUnreadable extends DomainError<"since_unreadable"> {
  readonly code = "since_unreadable";
}

/** A replay would begin before the log does, or after now. */
export class SinceOutOfRange extends DomainError<"since_out_of_range"> {
  readonly code = "since_out_of_range";
}

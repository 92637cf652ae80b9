import { domainError } from "../../kernel/errors.ts";
import type { WebhookEvent } from "../../kernel/webhook-events.ts";

/** The names that endpoints get for logged events. Both events about a chat's row in the inbox get the same name. */
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

export const testType = "webhook.test";

export const deliveryStates = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

const minute = 60;
const hour = 60 * minute;
/** Seconds from a failure to the next attempt, in order. A delivery is given up if it fails after the last pause. */
export const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** A pause is longer by up to this fraction, so that deliveries that failed together are not repeated together. */
export const jitter = 0.1;

/** If every attempt has failed for this many days, the endpoint is disabled. */
export const failingDays = 5;
/** Hours for which the previous secret still signs. */
export const previousSecretHours = 24;
/** Days for which deliveries and their payloads are kept. */
export const keptDays = 7;
/**
 * For this many hours after a campaign's end, an event with the campaign's figures counts as the report of the end. A
 * missed report is repeated within an hour after the end, so `endHours` must be greater than 1. `endHours` and
 * `replayHours` together must be shorter than `keptDays`.
 */
export const endHours = 24;
/** The most hours that a replay goes back. By default the log of events is kept for this long (`keepEventsHours`). */
export const replayHours = 72;

/** With status 410, the receiver asks for no more deliveries. */
export const isGone = (status: number | null): boolean => status === 410;
export const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Each attempt to deliver an event, by any process, sends the same id, so that a receiver can drop repeats. */
export const webhookIdOf = (businessId: number, number: number): string =>
  number < 0 ? `test_${businessId}_${-number}` : `evt_${businessId}_${number}`;

export class WebhookNotFound extends domainError("not_found") {}

/** Disabled endpoints get no deliveries. */
export class WebhookDisabled extends domainError("disabled") {}

/** The beginning of a replay is not a date. */
export class SinceUnreadable extends domainError("since_unreadable") {}

/** The beginning of a replay is more than `replayHours` ago, or in the future. */
export class SinceOutOfRange extends domainError("since_out_of_range") {}

import {
  type AdReferral,
  type Forgotten,
  type IncomingMessage,
  noNews,
  type ProvenSender,
  type WebhookNews,
} from "../../inbox/public.ts";
import type { ReportedState } from "../../kernel/delivery.ts";
import { beginning } from "../../kernel/text.ts";
import type { DeliveryStatus } from "../../messaging/public.ts";
import {
  digits,
  id,
  ifJson,
  type JsonObject,
  longestName,
  object,
  parseWebhook,
  text,
  timeOfMs,
  uuid,
} from "../shared/json-fields.ts";
import { numberIn, optedOutCodes } from "./account.ts";
import { contentsOf } from "./content.ts";
import type { FieldReader } from "./form.ts";

export interface KeptForm {
  /** The time of arrival in milliseconds since 1970. The provider does not send the time of a message. */
  readonly at: number;
  /** The reference in the query; empty if there was none. */
  readonly reference: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** States of outgoing messages. The provider's waiting states count as sent, because it has accepted the message. */
const states: ReadonlyMap<string, ReportedState> = new Map([
  ...(["accepted", "queued", "sending", "sent"] as const).map((word) => [word, "sent"] as const),
  ["delivered", "delivered"],
  ["read", "read"],
  ["undelivered", "failed"],
  ["failed", "failed"],
]);
const arriving: readonly string[] = ["receiving", "received", ""];

const statusIn = (field: FieldReader): string => field("MessageStatus") || field("SmsStatus");

/** Null if the form's status is unknown: such a form is ignored. */
export function kindOf(field: FieldReader): "message" | "status" | null {
  const status = statusIn(field);
  if (states.has(status)) return "status";
  return arriving.includes(status) ? "message" : null;
}

/**
 * Reads a stored webhook of ProviderB. Unknown values are skipped without an error. Throws only if the payload is
 * not JSON.
 *
 * @param about - the account that the signature proved
 */
export function readProviderBWebhook(payload: string, about: ProvenSender | null): WebhookNews {
  const kept = parseWebhook(payload);
  if (about === null) return noNews;
  const fields = object(kept.fields);
  const field: FieldReader = (name) => text(fields[name]);
  const sender = about.platformId;
  switch (kindOf(field)) {
    case "message":
      return { ...noNews, messages: messagesIn(fields, field, sender, timeOfMs(kept.at)) };
    case "status":
      return { ...noNews, statuses: statusesIn(field, sender, text(kept.reference)) };
    default:
      return noNews;
  }
}

function messagesIn(fields: JsonObject, field: FieldReader, sender: string, occurredAt: Date): IncomingMessage[] {
  const from = numberIn(field("From"));
  const platformMessageId = id(field("MessageSid"));
  if (from === undefined || platformMessageId === undefined) return [];
  const name = beginning(field("ProfileName"), longestName);
  const replyTo = id(field("OriginalRepliedMessageSid"));
  const referral = referralIn(field);
  const context = contextIn(field);
  return contentsOf(fields, field).map(({ details, ...content }, position) => ({
    sender,
    from,
    ...(name !== "" && { name }),
    platformMessageId: position === 0 ? platformMessageId : `${platformMessageId}:${position}`,
    ...content,
    ...((details || context) && { details: { ...context, ...details } }),
    ...(replyTo !== undefined && { replyTo }),
    ...(referral && { referral }),
    occurredAt,
  }));
}

/** In the cloud platform's format, like the `details` of all messages. */
function contextIn(field: FieldReader): { readonly context: object } | undefined {
  const repliedTo = field("OriginalRepliedMessageSid");
  const author = numberIn(field("OriginalRepliedMessageSender"));
  const context = {
    ...(repliedTo !== "" && { ...(author !== undefined && { from: author }), id: repliedTo }),
    ...(field("Forwarded") === "true" && { forwarded: true }),
    ...(field("FrequentlyForwarded") === "true" && { frequently_forwarded: true }),
  };
  return Object.keys(context).length > 0 ? { context } : undefined;
}

const referralFields = {
  source_url: "ReferralSourceUrl",
  source_id: "ReferralSourceId",
  source_type: "ReferralSourceType",
  headline: "ReferralHeadline",
  body: "ReferralBody",
  media_type: "ReferralMediaContentType",
  media_url: "ReferralMediaUrl",
  ctwa_clid: "ReferralCtwaClid",
};

function referralIn(field: FieldReader): AdReferral | undefined {
  const adId = id(field("ReferralSourceId"));
  if (adId === undefined || field("ReferralSourceType") !== "ad") return undefined;
  const given = Object.entries(referralFields).map(([name, theirs]) => [name, field(theirs)] as const);
  return { adId, details: Object.fromEntries(given.filter(([, value]) => value !== "")) };
}

function statusesIn(field: FieldReader, sender: string, reference: string): DeliveryStatus[] {
  const platformMessageId = id(field("MessageSid"));
  const state = states.get(statusIn(field));
  if (platformMessageId === undefined || state === undefined) return [];
  return [
    {
      sender,
      platformMessageId,
      ...(uuid.test(reference) && { reference }),
      state,
      ...(state === "failed" && { error: errorIn(field) }),
    },
  ];
}

function errorIn(field: FieldReader) {
  const code = /^\d{1,9}$/.test(field("ErrorCode")) ? Number(field("ErrorCode")) : 0;
  return { code, reason: beginning(field("ErrorMessage"), 500), optedOut: optedOutCodes.includes(code) };
}

/** Removes the whole webhook if it is about this customer, because every webhook is about only one customer. */
export function withoutCustomer(payload: string, { ids, senders }: Forgotten): string | null {
  const kept = ifJson(payload, parseWebhook);
  if (!kept) return null;
  const fields = object(kept.fields);
  if (!senders.includes(text(fields.AccountSid))) return payload;
  const named = [numberIn(text(fields.From)), numberIn(text(fields.To)), digits(fields.WaId)];
  return named.some((number) => number !== undefined && ids.includes(number)) ? null : payload;
}

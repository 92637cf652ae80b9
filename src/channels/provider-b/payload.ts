import {
  type AdReferral,
  type Forgotten,
  type IncomingMessage,
  noNews,
  type ProvenSender,
  type WebhookNews,
} from "../../inbox/public.ts";
import type { ReportedState } from "../../kernel/delivery.ts";
import type { DeliveryStatus } from "../../messaging/public.ts";
import { beginning, digits, id, longestName, object, type Told, text, timeOfMs, toldIn, uuid } from "../shared/told.ts";
import { optedOutCodes } from "./codes.ts";
import { contentsOf } from "./content.ts";
import type { FieldReader } from "./form.ts";
import { numberIn } from "./numbers.ts";

/** What is kept of a webhook. */
export interface KeptForm {
  /** When it came, in milliseconds since 1970: the provider does not say when a customer wrote. */
  readonly at: number;
  /** The reference in the address that was called; empty if there was none. */
  readonly reference: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** States of messages of ours, by the provider's word. A message that waits at the provider was accepted by it. */
const states: ReadonlyMap<string, ReportedState> = new Map([
  ...(["accepted", "queued", "sending", "sent"] as const).map((word) => [word, "sent"] as const),
  ["delivered", "delivered"],
  ["read", "read"],
  ["undelivered", "failed"],
  ["failed", "failed"],
]);
const arriving: readonly string[] = ["receiving", "received", ""];

const statusIn = (field: FieldReader): string => field("MessageStatus") || field("SmsStatus");

/** What a form tells of; null if it is not read. */
export function kindOf(field: FieldReader): "message" | "status" | null {
  const status = statusIn(field);
  if (states.has(status)) return "status";
  return arriving.includes(status) ? "message" : null;
}

/**
 * Reads what was kept of a webhook of ProviderB. What is not known is left out, never an error. Throws only when the
 * payload is no JSON.
 *
 * @param about - the account, as its token proved it
 */
export function readProviderBWebhook(payload: string, about: ProvenSender | null): WebhookNews {
  const kept = toldIn(payload);
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

function messagesIn(fields: Told, field: FieldReader, sender: string, occurredAt: Date): IncomingMessage[] {
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

/** In the cloud platform's shape, as all details. */
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

/** A webhook tells of one customer, so all of it goes or nothing. */
export function withoutCustomer(payload: string, { ids, senders }: Forgotten): string | null {
  let fields: Told;
  try {
    fields = object(toldIn(payload).fields);
  } catch {
    return null;
  }
  if (!senders.includes(text(fields.AccountSid))) return payload;
  const named = [numberIn(text(fields.From)), numberIn(text(fields.To)), digits(fields.WaId)];
  return named.some((number) => number !== undefined && ids.includes(number)) ? null : payload;
}

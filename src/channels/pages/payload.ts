import {
  type AdClick,
  type AdReferral,
  type DeliveryMark,
  type EchoedMessage,
  type IncomingMessage,
  type IncomingReaction,
  type MessageEdit,
  noNews,
  type WebhookNews,
  type Withdrawal,
} from "../../inbox/public.ts";
import { type ChatChannelName, pageChannel, photoChannel } from "../../kernel/channels.ts";
import { beginning } from "../../kernel/text.ts";
import type { DeliveryStatus } from "../../messaging/public.ts";
import { type GatheredNews, nothingGathered } from "../shared/gathered-news.ts";
import {
  type JsonObject,
  list,
  longestEmoji,
  object,
  parseWebhook,
  text,
  timeOfMs,
  uuid,
} from "../shared/json-fields.ts";
import { messageParts, mostParts, partId, postbackParts } from "./content.ts";

export type PagesChannel = Extract<ChatChannelName, typeof pageChannel | typeof photoChannel>;

/** The field `object` of each channel's webhooks. */
const webhookObjects: Readonly<Record<PagesChannel, string>> = {
  [pageChannel]: "page",
  [photoChannel]: "instagram",
};

/** Ids of customers, pages and accounts are text, because they are too large for numbers. */
const idOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.:-]{1,128}$/.test(value) ? value : undefined;
/** A message id. */
const midOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.length > 0 && value.length <= 500 ? value : undefined;

/** The maximum number of message ids that are read from one delivery report. */
const mostMids = 1_000;

/**
 * Reads a webhook of pages or photo accounts. Unknown fields and events are skipped without an error, because the
 * platform repeats a failed webhook. Throws only if the payload is not JSON.
 */
export const readPagesWebhook =
  (channel: PagesChannel) =>
  (payload: string): WebhookNews => {
    const root = parseWebhook(payload);
    const news = nothingGathered();
    if (root.object !== webhookObjects[channel]) return noNews;
    for (const entry of list(root.entry)) {
      const sender = idOf(entry.id);
      if (sender === undefined) continue;
      for (const event of list(entry.messaging)) gather(news, event, sender, channel);
    }
    return news;
  };

/** True if the payload has events that are read. Events in `standby` are not read. */
export function isReadOf(channel: PagesChannel, told: unknown): boolean {
  const root = object(told);
  return (
    root.object === webhookObjects[channel] && list(root.entry).some(({ messaging }) => list(messaging).length > 0)
  );
}

function gather(news: GatheredNews, event: JsonObject, sender: string, channel: PagesChannel): void {
  const message = object(event.message);
  const isEcho = message.is_echo === true;
  const customer = idOf(object(isEcho ? event.recipient : event.sender).id);
  // Skips messages of the account to itself, and events of its own messages that lack `is_echo`.
  if (customer === undefined || customer === sender) return;
  const from: Party = { sender, customer, occurredAt: timeOfMs(event.timestamp) };
  if (isEcho) news.echoes.push(...readEcho(message, from));
  else if (event.message !== undefined) {
    news.messages.push(...readMessage(message, from));
    news.withdrawals.push(...readWithdrawal(message, from));
  }
  news.messages.push(...readPostback(object(event.postback), from));
  news.edits.push(...readEdit(object(event.message_edit), from));
  news.reactions.push(...readReaction(object(event.reaction), from));
  news.clicks.push(...readClick(event.referral, from));
  const [delivery, read] = [object(event.delivery), object(event.read)];
  news.statuses.push(...statusesOf(delivery.mids, "delivered", from));
  news.marks.push(...markOf(delivery, "delivered", from));
  // Photo accounts name one message that was read; pages report a time.
  if (channel === photoChannel) news.statuses.push(...statusesOf([read.mid], "read", from));
  else news.marks.push(...markOf(read, "read", from));
}

/** The business's account, the customer and the time of an event. */
interface Party {
  readonly sender: string;
  readonly customer: string;
  readonly occurredAt: Date;
}

function readMessage(message: JsonObject, { sender, customer: from, occurredAt }: Party): IncomingMessage[] {
  const mid = midOf(message.mid);
  if (mid === undefined || message.is_deleted === true) return [];
  const common = { sender, from, occurredAt, ...replyOf(message) };
  return messageParts(message).map((part, index) => ({
    ...common,
    platformMessageId: partId(mid, index),
    ...part,
    // Without a text, the body is the file's name. Echoes keep an empty body: they are matched by the text we sent.
    body: part.body || (part.file?.name ?? ""),
    ...(index === 0 ? referralOf(message.referral) : {}),
  }));
}

function readEcho(message: JsonObject, { sender, customer: to, occurredAt }: Party): EchoedMessage[] {
  const mid = midOf(message.mid);
  if (mid === undefined || message.is_deleted === true) return [];
  const reference = text(message.metadata);
  const common = { sender, to, occurredAt, ...replyOf(message) };
  return messageParts(message).map((part, index) => ({
    ...common,
    platformMessageId: partId(mid, index),
    ...part,
    ...(index === 0 && uuid.test(reference) ? { reference: reference.toLowerCase() } : {}),
  }));
}

/** The customer chose a button of the business: under a message, in a menu, or to begin the chat. */
function readPostback(postback: JsonObject, { sender, customer: from, occurredAt }: Party): IncomingMessage[] {
  const mid = midOf(postback.mid);
  if (mid === undefined) return [];
  return postbackParts(postback).map((part) => ({
    ...{ sender, from, occurredAt, platformMessageId: mid },
    ...part,
    ...referralOf(postback.referral),
  }));
}

function replyOf(message: JsonObject): { readonly replyTo?: string } {
  const mid = midOf(object(message.reply_to).mid);
  return mid === undefined ? {} : { replyTo: mid };
}

function readEdit({ mid, text: body }: JsonObject, { sender, customer, occurredAt }: Party): MessageEdit[] {
  const messageId = midOf(mid);
  if (messageId === undefined || typeof body !== "string") return [];
  return [{ sender, customer, author: "customer", messageId, body, occurredAt }];
}

function readWithdrawal(message: JsonObject, { sender, customer: from }: Party): Withdrawal[] {
  const mid = midOf(message.mid);
  if (mid === undefined || message.is_deleted !== true) return [];
  const parts = Array.from({ length: mostParts - 1 }, (_, index) => partId(mid, index + 1));
  return [
    { sender, from, messageId: mid },
    ...parts.map((messageId) => ({ sender, from, messageId, isGuess: true as const })),
  ];
}

/** The emoji for each word of the platform. Some reactions have only the word. */
const emojis: ReadonlyMap<unknown, string> = new Map([
  ["love", "❤"],
  ["smile", "😆"],
  ["wow", "😮"],
  ["sad", "😢"],
  ["angry", "😠"],
  ["like", "👍"],
  ["dislike", "👎"],
]);

function readReaction(reaction: JsonObject, { sender, customer: from, occurredAt }: Party): IncomingReaction[] {
  const messageId = midOf(reaction.mid);
  if (messageId === undefined) return [];
  const about = { sender, from, messageId, occurredAt };
  if (reaction.action === "unreact") return [{ ...about, emoji: "" }];
  const emoji = beginning(text(reaction.emoji), longestEmoji) || emojis.get(reaction.reaction);
  return reaction.action === "react" && emoji ? [{ ...about, emoji }] : [];
}

/** The ad of a referral. Referrals from links and shops have no `ad_id`. */
function adOf(referral: unknown): AdReferral | undefined {
  const told = object(referral);
  const { ad_id: given } = told;
  const adId = Number.isSafeInteger(given) ? String(given) : idOf(given);
  return adId === undefined ? undefined : { adId, details: told };
}

function referralOf(told: unknown): { readonly referral?: AdReferral } {
  const referral = adOf(told);
  return referral === undefined ? {} : { referral };
}

function readClick(told: unknown, { sender, customer: from, occurredAt }: Party): AdClick[] {
  const referral = adOf(told);
  return referral === undefined ? [] : [{ sender, from, referral, occurredAt }];
}

function statusesOf(mids: unknown, state: DeliveryStatus["state"], { sender }: Party): DeliveryStatus[] {
  const named = Array.isArray(mids) ? mids.slice(0, mostMids).map(midOf) : [];
  return named.flatMap((mid) => (mid === undefined ? [] : [{ sender, platformMessageId: mid, state }]));
}

/** All messages up to a time. An invalid time is skipped: `timeOfMs` would turn it into the present. */
function markOf({ watermark }: JsonObject, state: DeliveryMark["state"], { sender, customer }: Party): DeliveryMark[] {
  const isMoment = typeof watermark === "number" && watermark > 0;
  return isMoment ? [{ sender, customer, state, upTo: timeOfMs(watermark) }] : [];
}

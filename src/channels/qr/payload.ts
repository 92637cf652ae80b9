import {
  type AdReferral,
  type ConnectionNews,
  connectionStates,
  type EchoedMessage,
  type MessageEdit,
  noNews,
  type ProvenSender,
  type WebhookNews,
  type Withdrawal,
} from "../../inbox/public.ts";
import { beginning } from "../../kernel/text.ts";
import type { DeliveryStatus } from "../../messaging/public.ts";
import { nothingGathered } from "../shared/gathered-news.ts";
import { id, type JsonObject, longestName, object, text, timeOfMs, timeOfSeconds } from "../shared/json-fields.ts";
import { type Content, changeIn, contentIn, type Found, longOf } from "./content.ts";
import { keptIn, type Parts, piecesIn } from "./kept.ts";
import { isOfPerson, keyIn, type MessageKey, numberIn } from "./key.ts";

/** The instance, and the number of its phone if the webhook has it. */
interface About {
  readonly sender: string;
  readonly own: string | undefined;
}

/**
 * Reads a webhook of the QR gateway. Unknown values are skipped without an error. Throws only if the payload is not
 * JSON.
 *
 * @param about - the sender that the webhook's secret proved; the payload's own value is not trusted
 */
export const readQrWebhook = (payload: string, about: ProvenSender | null): WebhookNews =>
  newsIn(keptIn(payload), about);

export function newsIn({ told, file }: Parts, about: ProvenSender | null): WebhookNews {
  if (about === null) return noNews;
  const event = eventIn(told);
  if (event === "connection.update") return { ...noNews, connections: readConnection(told, about) };
  // A secret of the older form does not prove the owner. Without a proven owner, only connections are read.
  if (about.owner === null) return noNews;
  const whom = { sender: about.platformId, own: numberIn(told.sender) };
  const pieces = piecesIn(told.data);
  switch (event) {
    case "messages.upsert":
      // The file belongs to a message only if the webhook has a single message.
      return readMessages(pieces, pieces.length === 1 ? file : "", whom);
    case "send.message":
      return readMessages(pieces, "", whom);
    case "messages.update":
      return { ...noNews, statuses: pieces.flatMap((piece) => readStatus(piece, whom)) };
    case "messages.edited":
      return { ...noNews, edits: pieces.flatMap((piece) => readEdited(piece, whom)) };
    case "messages.delete":
      return { ...noNews, withdrawals: pieces.flatMap((piece) => readDeletion(piece, whom)) };
    default:
      return noNews;
  }
}

/** The event in lower case with dots; some versions write `CONNECTION_UPDATE`. */
const eventIn = ({ event }: JsonObject): string => text(event).toLowerCase().replaceAll("_", ".");

function readConnection({ data, date_time: written }: JsonObject, about: ProvenSender): ConnectionNews[] {
  const { state: given } = object(data);
  const state = connectionStates.find((known) => known === given);
  return state === undefined ? [] : [{ sender: about.platformId, owner: about.owner, state, toldAt: time(written) }];
}

/**
 * Null if the value is not a time. The provider writes local time as if it were UTC: compare the result only with other
 * times of the provider.
 */
function time(written: unknown): Date | null {
  const at = typeof written === "string" && written.length <= 40 ? Date.parse(written) : Number.NaN;
  return at > 0 && at < Date.UTC(9999, 0) ? new Date(at) : null;
}

function readMessages(pieces: readonly JsonObject[], file: string, about: About): WebhookNews {
  const news = nothingGathered();
  for (const piece of pieces) {
    const key = keyIn(piece.key, about.own);
    const found = key && contentIn(piece.message);
    if (!key || !found) continue;
    if (found.is === "message") {
      const context = { ...object(piece.contextInfo), ...found.context };
      const message = messageOf(piece, key, found.content, context, file, about);
      if (key.fromMe) news.echoes.push({ ...message, to: key.customer });
      else news.messages.push({ ...message, ...senderOf(piece, key), ...referralIn(context) });
      continue;
    }
    const messageId = id(found.messageId);
    if (found.is === "edit") {
      const author = key.fromMe ? "business" : "customer";
      news.edits.push(...editOf(found, sentAt(piece), { sender: about.sender, customer: key.customer, author }));
      continue;
    }
    // Reactions and withdrawals made on the business's phone are ignored, so our chats do not show them.
    if (messageId === undefined || key.fromMe) continue;
    const from = key.customer;
    if (found.is === "withdrawal") news.withdrawals.push({ sender: about.sender, from, messageId });
    else {
      const occurredAt = sentAt(piece);
      news.reactions.push({ sender: about.sender, ...senderOf(piece, key), messageId, emoji: found.emoji, occurredAt });
    }
  }
  return news;
}

function messageOf(
  piece: JsonObject,
  key: MessageKey,
  { kind, body, details, file }: Content,
  context: JsonObject,
  base64: string,
  { sender }: About,
): Omit<EchoedMessage, "to"> {
  const replyTo = id(context.stanzaId);
  const place = base64 === "" ? ({ at: "message", messageId: key.id } as const) : ({ at: "here", base64 } as const);
  return {
    sender,
    platformMessageId: key.id,
    kind,
    body,
    ...(details && { details }),
    ...(replyTo !== undefined && { replyTo }),
    ...(file && { file: { ...file, place } }),
    occurredAt: sentAt(piece),
  };
}

/** If the customer has no name, `pushName` has the customer's number, which is not used as a name. */
function senderOf(
  { pushName }: JsonObject,
  { customer }: MessageKey,
): { readonly from: string; readonly name?: string } {
  const name = beginning(text(pushName).trim(), longestName);
  const isName = name !== "" && name !== customer && numberIn(name) === undefined;
  return { from: customer, ...(isName && { name }) };
}

function sentAt({ messageTimestamp: told }: JsonObject): Date {
  return timeOfSeconds(typeof told === "object" ? longOf(told) : told);
}

/** Uses the cloud platform's field names. */
function referralIn({ externalAdReply }: JsonObject): { readonly referral?: AdReferral } {
  const ad = object(externalAdReply);
  const adId = id(ad.sourceId);
  if (adId === undefined || (ad.sourceType !== undefined && ad.sourceType !== "ad")) return {};
  const told = {
    source_url: ad.sourceUrl,
    source_id: adId,
    source_type: "ad",
    headline: ad.title,
    body: ad.body,
    media_url: ad.mediaUrl,
    thumbnail_url: ad.thumbnailUrl,
    ctwa_clid: ad.ctwaClid,
  };
  const texts = Object.entries(told).map(([name, value]) => [name, beginning(text(value), longestOfAd)] as const);
  return { referral: { adId, details: Object.fromEntries(texts.filter(([, value]) => value !== "")) } };
}

const longestOfAd = 2_048;

/** The provider writes states as names or as numbers. */
const states: ReadonlyMap<unknown, DeliveryStatus["state"]> = new Map<unknown, DeliveryStatus["state"]>([
  ["ERROR", "failed"],
  ["PENDING", "sent"],
  ["SERVER_ACK", "sent"],
  ["DELIVERY_ACK", "delivered"],
  ["READ", "read"],
  ["PLAYED", "read"],
  [0, "failed"],
  [1, "sent"],
  [2, "sent"],
  [3, "delivered"],
  [4, "read"],
  [5, "read"],
]);

/** Versions of the provider use different fields for the message id and the state. */
function readStatus(piece: JsonObject, { sender }: About): DeliveryStatus[] {
  const key = object(piece.key);
  const platformMessageId = id(piece.keyId) ?? id(key.id) ?? id(piece.id);
  const state = states.get(piece.status ?? object(piece.update).status);
  const fromMe = piece.fromMe ?? key.fromMe;
  if (platformMessageId === undefined || state === undefined || fromMe !== true) return [];
  const recipientId = numberIn(piece.remoteJid ?? key.remoteJid);
  return [
    {
      sender,
      platformMessageId,
      ...(recipientId !== undefined && { recipientId }),
      state,
      ...(state === "failed" && { error: { code: 0, reason: "the provider tells no reason", optedOut: false } }),
    },
  ];
}

type Edit = Extract<Found, { is: "edit" }>;

function editOf(
  { messageId: given, body, at }: Edit,
  heardAt: Date,
  about: Pick<MessageEdit, "sender" | "customer" | "author">,
): MessageEdit[] {
  const messageId = id(given);
  const occurredAt = at === undefined ? heardAt : timeOfMs(typeof at === "object" ? longOf(at) : at);
  return messageId === undefined ? [] : [{ ...about, messageId, body, occurredAt }];
}

/**
 * A key in `messages.edited` does not prove the author: a customer's phone may have put `fromMe: true` and the
 * business's number into it. So these edits count as a customer's, and never change the business's messages.
 */
function readEdited(piece: JsonObject, { sender, own }: About): MessageEdit[] {
  const key = object(piece.key);
  const found = changeIn(piece);
  if (found?.is !== "edit" || !isOfPerson(key.remoteJid)) return [];
  const customer = key.fromMe === false ? (keyIn(key, own)?.customer ?? null) : null;
  return editOf(found, new Date(), { sender, customer, author: "customer" });
}

function readDeletion(piece: JsonObject, { sender, own }: About): Withdrawal[] {
  const key = keyIn(typeof piece.key === "object" ? piece.key : piece, own);
  return key && !key.fromMe ? [{ sender, from: key.customer, messageId: key.id }] : [];
}

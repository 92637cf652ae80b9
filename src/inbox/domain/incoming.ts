import type { DeliveryStatus, TemplateNews } from "../../messaging/public.ts";

/** The platform's id of the business's sender. */
type SenderId = string;

/** The ad that a customer came from. */
export interface AdReferral {
  readonly adId: string;
  /** The platform's own fields: headline, body, source_url, ... */
  readonly details: object;
}

export const fileKinds = ["image", "video", "audio", "document", "sticker"] as const;
export type FileKind = (typeof fileKinds)[number];

/** Where the platform keeps the content of a file. */
export type FilePlace =
  /** `id` is the platform's id of the file. */
  | { readonly at: "id"; readonly id: string }
  /** The channel downloads from `url`, with the sender's credentials where needed. */
  | { readonly at: "url"; readonly url: string }
  /** `messageId` is the platform's id of the message that brought the file. */
  | { readonly at: "message"; readonly messageId: string };

/** File content that came inside the webhook. */
interface FileHere {
  readonly at: "here";
  readonly base64: string;
}

/** A message's file. Its fields are stated by the message's author or the platform, and are not checked. */
export interface IncomingFile {
  readonly kind: FileKind;
  /** The file name that the message's author gave. */
  readonly name?: string;
  readonly place: FilePlace | FileHere;
}

/** One product of an order that a customer put together from a catalog. */
export interface CatalogLine {
  /** The business's own id of the product. */
  readonly retailerId: string | null;
  /** Null if the line cannot be read; such a line is only shown in the order's history. */
  readonly quantity: number | null;
  /** The quantity of an unreadable line, as the platform wrote it. */
  readonly shownQuantity?: string | null;
  /** Unit price in major units, as text with at most two decimals. */
  readonly price: string | null;
  /** ISO 4217. */
  readonly currency: string | null;
}

/** An order that a customer put together from a catalog. */
export interface CatalogOrder {
  /** At most 100. */
  readonly lines: readonly CatalogLine[];
}

/** A chat message as a platform reports it. A message with several files becomes one message for each file. */
interface PlatformMessage {
  readonly sender: SenderId;
  /** Repeated deliveries of one message carry the same id. */
  readonly platformMessageId: string;
  readonly kind: string;
  /** The text that an inbox shows: text, caption or title of the chosen button; may be empty. */
  readonly body: string;
  /** Other data of the platform, such as coordinates, products or the chosen option. */
  readonly details?: object;
  /** The platform's id of the message that this one replies to. */
  readonly replyTo?: string;
  readonly file?: IncomingFile;
  readonly occurredAt: Date;
}

/** A message from a customer. */
export interface IncomingMessage extends PlatformMessage {
  /** The customer's id on the platform: the digits of their number, or an id on channels without numbers. */
  readonly from: string;
  /** The name in the customer's profile. */
  readonly name?: string;
  readonly referral?: AdReferral;
  readonly order?: CatalogOrder;
}

/**
 * A message to a customer that the platform reports: either sent by this service, or written by a person of the
 * business in the platform's app or on the phone.
 */
export interface EchoedMessage extends PlatformMessage {
  /** The customer's id on the platform. */
  readonly to: string;
  /** Our reference, if we sent the message and the platform returns it. */
  readonly reference?: string;
}

/** An echo of our own message proves that it was sent. */
export const sentOf = ({ sender, platformMessageId }: EchoedMessage, reference: string): DeliveryStatus => ({
  sender,
  platformMessageId,
  reference,
  state: "sent",
});

/** The customer has received or read all messages that were sent up to the time `upTo`. */
export interface DeliveryMark {
  readonly sender: SenderId;
  /** The customer's id on the platform. */
  readonly customer: string;
  readonly state: "delivered" | "read";
  readonly upTo: Date;
}

/** A customer opened a chat from an ad and has not written yet. */
export interface AdClick {
  readonly sender: SenderId;
  readonly from: string;
  readonly referral: AdReferral;
  readonly occurredAt: Date;
}

/** A message that its author withdrew. */
export interface Withdrawal {
  readonly sender: SenderId;
  readonly from: string;
  readonly messageId: string;
  /**
   * The id is a guess: a message with several files was stored as several messages, and the platform does not say how
   * many files the withdrawn message had.
   */
  readonly isGuess?: true;
}

/** The author of a message changed its text. */
export interface MessageEdit {
  readonly sender: SenderId;
  /** The customer's id on the platform; null if the platform does not say in whose chat the message is. */
  readonly customer: string | null;
  readonly author: "customer" | "business";
  readonly messageId: string;
  readonly body: string;
  readonly occurredAt: Date;
}

/** A reply that has to be linked with the message that it answers. */
export interface ReplyLink {
  readonly sender: SenderId;
  /** The id of the reply. */
  readonly platformMessageId: string;
  readonly replyTo: string;
}

/** A reaction belongs to another message and is not a message of its own. */
export interface IncomingReaction {
  readonly sender: SenderId;
  readonly from: string;
  /** The name in the customer's profile. */
  readonly name?: string;
  /** The platform's id of the message that the reaction refers to. */
  readonly messageId: string;
  /** Empty if the customer removes the reaction. */
  readonly emoji: string;
  readonly occurredAt: Date;
}

/** A customer opts in to or out of marketing messages. */
export interface PreferenceChange {
  readonly sender: SenderId;
  readonly from: string;
  readonly optedOut: boolean;
  readonly occurredAt: Date;
}

/** A platform's report about one of the business's numbers. */
export interface NumberNews {
  /** The platform's id of the account that the number belongs to. */
  readonly account: string;
  /** Digits. */
  readonly phone: string;
  /** The platform's value, such as `FLAGGED`. */
  readonly state: string;
  readonly at: Date;
}

/** A platform's report about a whole account. */
export interface AccountNews {
  /** The platform's id of the account. */
  readonly account: string;
  /** The platform's value, such as `ACCOUNT_RESTRICTION` or `DISABLED_UPDATE`. */
  readonly event: string;
  /** The platform's own fields. */
  readonly details: object;
  readonly at: Date;
}

/** The QR gateway's values for the connection of a paired phone. */
export const connectionStates = ["connecting", "open", "close"] as const;

/** The sender that a webhook names, and the owner that the webhook's secret or signature proves. */
export interface ProvenSender {
  readonly platformId: SenderId;
  /** Null if the webhook's secret proves only `platformId`, as secrets of the older form do. */
  readonly owner: { readonly businessId: number; readonly senderId: number } | null;
}

export interface ConnectionNews {
  readonly sender: SenderId;
  /** The report applies only to this owner's sender: another business may use the same platform id by now. */
  readonly owner: ProvenSender["owner"];
  readonly state: (typeof connectionStates)[number];
  /** By the gateway's clock; null if it gives no time. */
  readonly toldAt: Date | null;
}

/** All reports of a webhook that concern the inbox, by kind. Each kind keeps the webhook's order. */
export interface IncomingNews {
  readonly messages: readonly IncomingMessage[];
  readonly echoes: readonly EchoedMessage[];
  readonly edits: readonly MessageEdit[];
  readonly withdrawals: readonly Withdrawal[];
  readonly reactions: readonly IncomingReaction[];
  readonly replies: readonly ReplyLink[];
  readonly clicks: readonly AdClick[];
  readonly statuses: readonly DeliveryStatus[];
  readonly marks: readonly DeliveryMark[];
  readonly preferences: readonly PreferenceChange[];
  readonly numbers: readonly NumberNews[];
  readonly accounts: readonly AccountNews[];
  readonly connections: readonly ConnectionNews[];
}

/** The kinds of news that refer to an earlier message. */
export type NewsOfMessages = Pick<IncomingNews, "reactions" | "edits" | "withdrawals" | "replies">;

/** The inbox's news and the reports about templates, which belong to messaging. */
export interface WebhookNews extends IncomingNews {
  readonly templates: readonly TemplateNews[];
}

export const noNews: WebhookNews = {
  messages: [],
  echoes: [],
  edits: [],
  withdrawals: [],
  reactions: [],
  replies: [],
  clicks: [],
  statuses: [],
  marks: [],
  preferences: [],
  numbers: [],
  accounts: [],
  connections: [],
  templates: [],
};

const kinds = Object.keys(noNews) as (keyof WebhookNews)[];

/** The platform's ids of all senders and accounts in the news, without duplicates. */
export interface NamedParties {
  readonly senders: readonly string[];
  readonly accounts: readonly string[];
}

export function partiesIn(news: Partial<WebhookNews>): NamedParties {
  const items = Object.values(news).flat() as readonly object[];
  const senders = items.flatMap((item) => ("sender" in item ? [String(item.sender)] : []));
  const accounts = items.flatMap((item) => ("account" in item ? [String(item.account)] : []));
  return { senders: [...new Set(senders)], accounts: [...new Set(accounts)] };
}

/** Removes the news of these senders. Keeps news about accounts, since several senders can share an account. */
export const withoutSenders = <News extends Partial<WebhookNews>>(news: News, senders: ReadonlySet<string>): News => ({
  ...news,
  ...Object.fromEntries(
    Object.entries(news).map(([kind, items]: [string, readonly object[]]) => [
      kind,
      items.filter((item) => !("sender" in item && senders.has(String(item.sender)))),
    ]),
  ),
});

export const countOf = (news: Partial<WebhookNews>): number =>
  Object.values(news).reduce((sum, { length }) => sum + length, 0);

/** Joins the news of several webhooks in their order. */
export const joinedNews = (news: readonly WebhookNews[]): WebhookNews => ({
  ...noNews,
  ...Object.fromEntries(kinds.map((kind) => [kind, news.flatMap((each): readonly object[] => each[kind])])),
});

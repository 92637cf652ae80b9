import type { DeliveryStatus, TemplateNews } from "../../messaging/public.ts";

/** The platform's id of the business's number that a piece of news concerns. */
type SenderId = string;

/** The ad that a customer came from. */
export interface AdReferral {
  readonly adId: string;
  /** The platform's own fields: headline, body, source_url, ... */
  readonly details: object;
}

export const fileKinds = ["image", "video", "audio", "document", "sticker"] as const;
export type FileKind = (typeof fileKinds)[number];

/** Where a platform has the content of a file. */
export type FilePlace =
  /** By the platform's id of the file. */
  | { readonly at: "id"; readonly id: string }
  /** By its address, which the channel may open with the sender's credentials. */
  | { readonly at: "url"; readonly url: string }
  /** By the platform's id of the message that brought it. */
  | { readonly at: "message"; readonly messageId: string };

/** The content of a file that came along. */
export interface FileHere {
  readonly at: "here";
  readonly base64: string;
}

/** A file that a customer sent. All that is said of it is the customer's or the platform's word. */
export interface IncomingFile {
  readonly kind: FileKind;
  /** What the customer calls it. */
  readonly name?: string;
  readonly place: FilePlace | FileHere;
}

/** One product of an order that a customer put together from a catalog. */
export interface CatalogLine {
  /** The business's own id of the product. */
  readonly retailerId: string | null;
  /** Null in a line that cannot be read: it stands in the order's history only. */
  readonly quantity: number | null;
  /** The quantity of such a line, as the platform wrote it. */
  readonly shownQuantity?: string | null;
  /** Of one, in major units as the platform shows it: text with at most two decimals. */
  readonly price: string | null;
  /** ISO 4217. */
  readonly currency: string | null;
}

/** An order that a customer put together from a catalog. */
export interface CatalogOrder {
  /** At most 100. */
  readonly lines: readonly CatalogLine[];
}

/** A message in a chat, as a platform tells of it. One that brings several files comes as one for each. */
interface ToldMessage {
  readonly sender: SenderId;
  /** Given by the platform; a message delivered twice carries the same one. */
  readonly platformMessageId: string;
  readonly kind: string;
  /** What an inbox shows: the text, the caption, the title of the chosen button; empty when there is none. */
  readonly body: string;
  /** What else the platform said of it: coordinates, products, the choice. */
  readonly details?: object;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string;
  readonly file?: IncomingFile;
  readonly occurredAt: Date;
}

/** A message from a customer. */
export interface IncomingMessage extends ToldMessage {
  /** The customer's id on the platform: the digits of the number, or an id on channels without numbers. */
  readonly from: string;
  /** The name in the customer's profile. */
  readonly name?: string;
  readonly referral?: AdReferral;
  readonly order?: CatalogOrder;
}

/**
 * A message to a customer, which the platform tells of too: one of ours, or what somebody of the business wrote in the
 * platform's own app or on the phone.
 */
export interface EchoedMessage extends ToldMessage {
  /** The customer's id on the platform. */
  readonly to: string;
  /** The reference that one of ours was sent with, where the platform returns it. */
  readonly reference?: string;
}

/** What an echo tells of the message of ours that was sent with the reference. */
export const sentOf = ({ sender, platformMessageId }: EchoedMessage, reference: string): DeliveryStatus => ({
  sender,
  platformMessageId,
  reference,
  state: "sent",
});

/** That a customer got, or read, all that was sent before a moment. */
export interface DeliveryMark {
  readonly sender: SenderId;
  /** The customer's id on the platform. */
  readonly customer: string;
  readonly state: "delivered" | "read";
  readonly upTo: Date;
}

/** A customer came from an ad into a chat, without writing anything. */
export interface AdClick {
  readonly sender: SenderId;
  readonly from: string;
  readonly referral: AdReferral;
  readonly occurredAt: Date;
}

/** A message that its author took back. */
export interface Withdrawal {
  readonly sender: SenderId;
  readonly from: string;
  readonly messageId: string;
  /** It would be one of several files: the platform does not say how many there were, so there may be no such message. */
  readonly isGuess?: true;
}

/** That the author of a message gave it another text. */
export interface MessageEdit {
  readonly sender: SenderId;
  /** The customer in whose chat the message is, as the platform calls them; null if it does not say who that is. */
  readonly customer: string | null;
  /** Who wrote the message, and edited it. */
  readonly author: "customer" | "business";
  readonly messageId: string;
  readonly body: string;
  readonly occurredAt: Date;
}

/** That a message which is here answers one that came after it. */
export interface ReplyLink {
  readonly sender: SenderId;
  /** Of the message that answers. */
  readonly platformMessageId: string;
  readonly replyTo: string;
}

/** What a customer feels about a message: shown at that message, and no message of its own. */
export interface IncomingReaction {
  readonly sender: SenderId;
  readonly from: string;
  /** The name in the customer's profile. */
  readonly name?: string;
  /** The platform's id of the message that it is about. */
  readonly messageId: string;
  /** Empty where the customer takes back what was there. */
  readonly emoji: string;
  readonly occurredAt: Date;
}

/** A customer's word on marketing messages. */
export interface PreferenceChange {
  readonly sender: SenderId;
  readonly from: string;
  readonly optedOut: boolean;
  readonly occurredAt: Date;
}

/** What the platform says of one of the business's numbers. */
export interface NumberNews {
  /** The platform's id of the account that owns it. */
  readonly account: string;
  /** Digits. */
  readonly phone: string;
  /** In the platform's word: `FLAGGED`. */
  readonly state: string;
  /** When the platform told it. */
  readonly at: Date;
}

/** What the platform says of one of its accounts as a whole. */
export interface AccountNews {
  /** The platform's id of the account. */
  readonly account: string;
  /** In the platform's word: `ACCOUNT_RESTRICTION`, `DISABLED_UPDATE`. */
  readonly event: string;
  /** The platform's own fields. */
  readonly details: object;
  readonly at: Date;
}

/** Of a phone that is paired by QR code, in the provider's words. */
export const connectionStates = ["connecting", "open", "close"] as const;

/** A sender that a webhook's address names, with whose it was when the secret of the webhook was given. */
export interface ProvenSender {
  readonly platformId: SenderId;
  /** Null where the secret was made of the platform's id alone. */
  readonly owner: { readonly businessId: number; readonly senderId: number } | null;
}

/** How a phone that is paired by QR code is connected. */
export interface ConnectionNews {
  readonly sender: SenderId;
  /** They are about no other sender that the platform's id may be of by now. */
  readonly owner: ProvenSender["owner"];
  readonly state: (typeof connectionStates)[number];
  /** By the provider's clock; null where it does not say. */
  readonly toldAt: Date | null;
}

/** What a webhook told, in the order in which it told it. */
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

/** And what it told besides of what the business sends. */
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

/** What many webhooks told, in their order. */
export const joinedNews = (news: readonly WebhookNews[]): WebhookNews => ({
  messages: news.flatMap(({ messages }) => messages),
  echoes: news.flatMap(({ echoes }) => echoes),
  edits: news.flatMap(({ edits }) => edits),
  withdrawals: news.flatMap(({ withdrawals }) => withdrawals),
  reactions: news.flatMap(({ reactions }) => reactions),
  replies: news.flatMap(({ replies }) => replies),
  clicks: news.flatMap(({ clicks }) => clicks),
  statuses: news.flatMap(({ statuses }) => statuses),
  marks: news.flatMap(({ marks }) => marks),
  preferences: news.flatMap(({ preferences }) => preferences),
  numbers: news.flatMap(({ numbers }) => numbers),
  accounts: news.flatMap(({ accounts }) => accounts),
  connections: news.flatMap(({ connections }) => connections),
  templates: news.flatMap(({ templates }) => templates),
});

import type { DeliveryStatus, TemplateNews } from "../../messaging/public.ts";

/** The platform's id of the business's number that a piece of news concerns. */
type SenderId = string;

/** The ad that a customer came from. */
export interface AdReferral {
  readonly adId: string;
  /** The platform's own fields: headline, body, source_url, ... */
  readonly details: object;
}

/** A message from a customer. */
export interface IncomingMessage {
  readonly sender: SenderId;
  /** The customer's id on the platform: digits. */
  readonly from: string;
  /** The name in the customer's profile. */
  readonly name?: string;
  /** Given by the platform; a message delivered twice carries the same one. */
  readonly platformMessageId: string;
  readonly kind: string;
  /** What an inbox shows: the text, the caption, the title of the chosen button; empty when there is none. */
  readonly body: string;
  /** What else the platform said of it: media ids, coordinates, products. */
  readonly details?: object;
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string;
  readonly occurredAt: Date;
  readonly referral?: AdReferral;
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
  readonly reactions: readonly IncomingReaction[];
  readonly statuses: readonly DeliveryStatus[];
  readonly preferences: readonly PreferenceChange[];
  readonly numbers: readonly NumberNews[];
  readonly connections: readonly ConnectionNews[];
}

/** And what it told besides of what the business sends. */
export interface WebhookNews extends IncomingNews {
  readonly templates: readonly TemplateNews[];
}

export const noNews: WebhookNews = {
  messages: [],
  reactions: [],
  statuses: [],
  preferences: [],
  numbers: [],
  connections: [],
  templates: [],
};

import type { LoggedEvent } from "../../../kernel/events.ts";

/** The customer of an order, in the chat in which it was built. */
export interface LinkRecipient {
  readonly businessId: number;
  readonly businessName: string;
  readonly chatId: number;
  /** The chat's channel. */
  readonly provider: string;
  readonly contactId: number;
  /** Digits. */
  readonly phone: string;
  /** Their id on the chat's channel. */
  readonly platformId: string;
}

export interface PayableOrder {
  /** As the business has set it. */
  readonly paymentsUrl: string | null;
  /** Null for an order without a chat. */
  readonly recipient: LinkRecipient | null;
}

export interface RenewedLink {
  /** A UUID v4, the same for every link of the order. */
  readonly transactionId: string;
  readonly events: readonly LoggedEvent[];
}

export interface PaymentLinks {
  /** Null when the business has no such order. */
  find(businessId: number, orderId: number): Promise<PayableOrder | null>;
  /**
   * §8.3, §8.4 Gives the order its transaction id, once, and two more hours to be paid; tells clients of the change and
   * writes down whose key asked for it. Null when the order is gone.
   */
  renew(businessId: number, orderId: number, keyId: number): Promise<RenewedLink | null>;
  /** §8.7 For the e-commerce statistics: it was sent, as far as anybody knows. */
  recordSent(businessId: number, orderId: number): Promise<void>;
}

/**
 * Sends the link and keeps it in the customer's chat; at most once, whatever happens. Rejects with `PaymentLinkNotSent`
 * or `PaymentLinkUncertain`.
 */
export type SendLink = (url: string) => Promise<void>;

/** One way in which a link reaches a customer. */
export interface LinkWay {
  /** Sends nothing yet. Rejects with `PaymentLinkImpossible` where nothing could be sent this way. */
  prepare(recipient: LinkRecipient): Promise<SendLink>;
}

export interface LinkWays {
  /** A text over the chat's channel. */
  readonly text: LinkWay;
  /** An SMS to the contact's number. */
  readonly sms: LinkWay;
  /** A template over the chat's channel; the link is the parameter after these. */
  template(templateId: number, parameters: readonly string[]): LinkWay;
}

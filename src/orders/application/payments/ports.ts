import type { LoggedEvent } from "../../../kernel/events.ts";
import type { Recipient } from "../../../messaging/public.ts";

export interface PayableOrder {
  /** As the business has set it. */
  readonly paymentsUrl: string | null;
  /** Null for an order without a chat. */
  readonly recipient: Recipient | null;
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

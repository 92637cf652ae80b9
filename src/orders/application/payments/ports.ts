import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Recipient } from "../../../messaging/public.ts";
import type { Actor } from "../../domain/change.ts";
import type { OrderEvents } from "../order-events.ts";

export interface PayableOrder {
  /** The business's flag `payments-url`, which may be malformed; null if the flag is not set. */
  readonly paymentsUrl: string | null;
  /** Null if the order has no chat, or its contact was erased. */
  readonly recipient: Recipient | null;
}

export interface PaymentLinks {
  /** Null if the business has no such order. */
  find(businessId: number, orderId: number, userId: number | null): Promise<PayableOrder | null>;
  /** §8.7 Records a sent link in the e-commerce statistics. Also called if it is unknown whether the link was sent. */
  recordSent(businessId: number, orderId: number): Promise<void>;
}

export interface LinkRenewals {
  /**
   * §8.3, §8.4 Returns the order's transaction id, a UUID v4 that all links of the order contain. Creates the id if
   * there is none, and sets the deadline for paying to two hours from now. Adds these changes to the history. Null if
   * the order does not exist.
   */
  renew(businessId: number, orderId: number, actor: Actor): Promise<string | null>;
}

export type RenewalUnitOfWork = UnitOfWork<{ readonly links: LinkRenewals; readonly events: OrderEvents }>;

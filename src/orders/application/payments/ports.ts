import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Recipient } from "../../../messaging/public.ts";
import type { Actor } from "../../domain/change.ts";
import type { OrderEvents } from "../order-events.ts";

export interface PayableOrder {
  /** As the business has set it. */
  readonly paymentsUrl: string | null;
  /** Null for an order without a chat. */
  readonly recipient: Recipient | null;
}

export interface PaymentLinks {
  /** Null when the business has no such order. */
  find(businessId: number, orderId: number, userId: number | null): Promise<PayableOrder | null>;
  /** §8.7 For the e-commerce statistics: it was sent, as far as anybody knows. */
  recordSent(businessId: number, orderId: number): Promise<void>;
}

export interface LinkRenewals {
  /**
   * §8.3, §8.4 Gives the order its transaction id, a UUID v4 that every link of it carries, and two more hours to be
   * paid; writes down whose key asked for it. Null when the order is gone.
   */
  renew(businessId: number, orderId: number, actor: Actor): Promise<string | null>;
}

export type RenewalUnitOfWork = UnitOfWork<{ readonly links: LinkRenewals; readonly events: OrderEvents }>;

import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Recipient } from "../../../messaging/public.ts";
import type { Actor } from "../../domain/change.ts";
import type { OrderEvents } from "../order-events.ts";

export interface PayableOrder {
  /** The address that the business has set. It is not checked. */
  readonly paymentsUrl: string | null;
  /** Null if the order has no chat, or its contact was erased. */
  readonly recipient: Recipient | null;
}

export interface PaymentLinks {
  /** Null if the business has no such order. */
  find(businessId: number, orderId: number, userId: number | null): Promise<PayableOrder | null>;
  /** §8.7 Records in the e-commerce statistics that the link was sent, also if the outcome is unknown. */
  recordSent(businessId: number, orderId: number): Promise<void>;
}

export interface LinkRenewals {
  /**
   * §8.3, §8.4 Gives the order a transaction id, a UUID v4 that every link of it has, and two more hours for the
   * payment, and adds this to its history. Null if the order does not exist.
   */
  renew(businessId: number, orderId: number, actor: Actor): Promise<string | null>;
}

export type RenewalUnitOfWork = UnitOfWork<{ readonly links: LinkRenewals; readonly events: OrderEvents }>;

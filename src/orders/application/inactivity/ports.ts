import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { OrderEvents, OrderRef } from "../order-events.ts";

/** An abandoned order, and with its date where in them it stands. */
export interface AbandonedOrder extends OrderRef {
  /** Opaque. */
  readonly createdAt: string;
}

export interface AbandonedOrders {
  /**
   * The next `limit` abandoned orders beyond `after`, of all businesses, those of a business together. Fewer than
   * `limit` when there are no more. Locks nothing, so that each may have changed by the time it is cancelled.
   */
  next(after: AbandonedOrder | null, limit: number): Promise<AbandonedOrder[]>;
}

export interface Inactivity {
  /**
   * Cancels those of the business's orders that are abandoned still, enters it in their histories, and returns them.
   * Orders and chats that somebody else is changing are left out: a customer whose message is just being written down
   * is not silent. The orders and chats of the others stay locked until the transaction's end.
   */
  cancel(businessId: number, orderIds: readonly number[]): Promise<OrderRef[]>;
}

export type InactivityUnitOfWork = UnitOfWork<{
  readonly abandoned: Inactivity;
  readonly events: OrderEvents;
}>;

import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { OrderEvents, OrderRef } from "../order-events.ts";

/** An abandoned order, which is also a position in the list of all abandoned orders. */
export interface AbandonedOrder extends OrderRef {
  /** The date in PostgreSQL's format. It serves only as a position for `next`. */
  readonly createdAt: string;
}

export interface AbandonedOrders {
  /**
   * The next `limit` abandoned orders after `after`, of all businesses, sorted by business. If there are fewer than
   * `limit`, these are the last. Locks nothing, so an order may change before it is cancelled.
   */
  next(after: AbandonedOrder | null, limit: number): Promise<AbandonedOrder[]>;
}

export interface Inactivity {
  /**
   * Cancels the orders that are still abandoned, writes their histories, and returns the cancelled orders. Skips an
   * order if another transaction has locked the order or its chat, because that transaction may store a new message of
   * the customer. The cancelled orders and their chats stay locked until the transaction ends.
   */
  cancel(businessId: number, orderIds: readonly number[]): Promise<OrderRef[]>;
}

export type InactivityUnitOfWork = UnitOfWork<{
  readonly abandoned: Inactivity;
  readonly events: OrderEvents;
}>;

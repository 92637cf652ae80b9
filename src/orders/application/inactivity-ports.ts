import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { OrderEvents, OrderRef } from "./order-events.ts";

/** Where in the abandoned orders a batch ended; opaque. */
export interface AbandonedPlace extends OrderRef {
  readonly createdAt: string;
}

export interface AbandonedOrders {
  /**
   * Cancels the next `limit` abandoned orders beyond `after`, of all businesses, and enters it in their histories; in
   * their order. Fewer than `limit` when there are no more. Orders and chats that somebody else is changing are left
   * out: a customer whose message is just being written down is not silent.
   */
  cancel(after: AbandonedPlace | null, limit: number): Promise<AbandonedPlace[]>;
}

export type InactivityUnitOfWork = UnitOfWork<{
  readonly abandoned: AbandonedOrders;
  readonly events: OrderEvents;
}>;

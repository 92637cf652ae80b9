import type { LoggedEvent } from "../../../kernel/events.ts";
import type { OrderRef } from "../order-events.ts";

/** One product that a customer chose from a catalog, as the platform shows it to customers. */
export interface CatalogLine {
  readonly retailerId: string | null;
  /** Null if it cannot be read. Such a line is only in the order's history. */
  readonly quantity: number | null;
  /** The quantity of an unreadable line, as the platform wrote it. */
  readonly shownQuantity?: string | null;
  /** The price of one piece, as text. */
  readonly price: string | null;
  /** ISO 4217. */
  readonly currency: string | null;
}

/** A customer's order in a chat message. */
export interface CatalogOrder {
  readonly businessId: number;
  readonly chatId: number;
  readonly messageId: number;
  readonly lines: readonly CatalogLine[];
}

/** Creates orders from customers' catalog messages, in the transaction that stores the messages. */
export interface CatalogOrders {
  /**
   * Creates a pending order of type `wa` from each, at the business's own prices. A message that already has an order
   * is skipped. Products that the business does not sell are only in the order's history. Locks the counters of orders:
   * this must come after all chats and before the counters of events.
   */
  make(orders: readonly CatalogOrder[]): Promise<readonly OrderRef[]>;
  /** Logs the events of the new orders, for publishing after the commit. Must be the transaction's last step. */
  announce(made: readonly OrderRef[]): Promise<LoggedEvent[]>;
}

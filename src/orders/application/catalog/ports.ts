import type { LoggedEvent } from "../../../kernel/events.ts";
import type { OrderRef } from "../order-events.ts";

/** One product that a customer chose from a catalog, as the platform shows it to customers. */
export interface CatalogLine {
  readonly retailerId: string | null;
  /** Null in a line that cannot be read: it stands in the order's history only. */
  readonly quantity: number | null;
  /** The quantity of such a line, as the platform wrote it. */
  readonly shownQuantity?: string | null;
  /** Of one, in text. */
  readonly price: string | null;
  /** ISO 4217. */
  readonly currency: string | null;
}

/** What a customer ordered with a message in a chat. */
export interface CatalogOrder {
  readonly businessId: number;
  readonly chatId: number;
  readonly messageId: number;
  readonly lines: readonly CatalogLine[];
}

/** Makes orders of what customers put together from a catalog, in the transaction that stores their messages. */
export interface CatalogOrders {
  /**
   * Makes a pending order of type `wa` of each, at the business's own prices; one whose message has an order already
   * is left out. Products that the business does not sell stand in the order's history only. Locks the counters of
   * orders: after all chats, before the counters of events.
   */
  make(orders: readonly CatalogOrder[]): Promise<readonly OrderRef[]>;
  /** Logs that they are there. To be published after the commit; the last thing that the transaction does. */
  tell(made: readonly OrderRef[]): Promise<LoggedEvent[]>;
}

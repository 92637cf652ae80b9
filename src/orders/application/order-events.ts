import type { LoggedEvent } from "../../kernel/events.ts";
import type { Order } from "../domain/order.ts";
import { type OrderSums, sumsOf } from "../domain/total.ts";

export interface OrderRef {
  readonly businessId: number;
  readonly id: number;
}

export interface OrderEvents {
  /** The orders as they stand now, in the order of `refs`; those that do not exist are left out. */
  read(refs: readonly OrderRef[]): Promise<Order[]>;
  /** Logs `order:changed` for each: the last thing that a transaction does. To be published after the commit. */
  logChanged(orders: readonly Order[]): Promise<LoggedEvent[]>;
}

/** What events do not tell of an order: none of their clients' business, or too large. */
export type Withheld = "extraData" | "externalUserId" | "transactionId" | "paymentExpiresAt";
/** What the card holds besides, with the id. */
type Referred = "branchId" | "zoneId" | "chatId";

/** What `order:changed` holds: all that a client needs to draw an order's card again. */
export type OrderCard = Omit<Order, Withheld | Referred | keyof OrderSums> & OrderSums;

export function cardOf(order: Order): OrderCard {
  const { extraData, externalUserId, transactionId, paymentExpiresAt, branchId, zoneId, chatId, ...card } = order;
  return Object.assign(card, sumsOf(order));
}

import type { LoggedEvent } from "../../kernel/events.ts";
import type { Order } from "../domain/order.ts";
import { type OrderSums, sumsOf } from "../domain/total.ts";

export interface OrderRef {
  readonly businessId: number;
  readonly id: number;
}

export interface OrderEvents {
  /** The orders as they are now, in the sequence of `refs`. Orders that do not exist are left out. */
  read(refs: readonly OrderRef[]): Promise<Order[]>;
  /** Logs `order:changed` for each order, to be published after the commit. Must be the transaction's last step. */
  logChanged(orders: readonly Order[]): Promise<LoggedEvent[]>;
}

/** Fields that events withhold, because clients do not need them or because they are too large. */
export type Withheld = "extraData" | "externalUserId" | "transactionId" | "paymentExpiresAt";
/** Ids that the card has in its related records. */
type Referred = "branchId" | "zoneId" | "chatId";

/** The payload of `order:changed`: everything that an order's card shows. */
export type OrderCard = Omit<Order, Withheld | Referred | keyof OrderSums> & OrderSums;

export function cardOf(order: Order): OrderCard {
  const { extraData, externalUserId, transactionId, paymentExpiresAt, branchId, zoneId, chatId, ...card } = order;
  return Object.assign(card, sumsOf(order));
}

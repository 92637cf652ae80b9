import type { OrderChange } from "../../domain/change.ts";
import type { Driver, Order, OrderRecord } from "../../domain/order.ts";
import type { OrderState } from "../../domain/states.ts";
import type { DriverLocation } from "../delivery/integrations.ts";

/** An order with its related records. */
export interface ShownOrder extends Order {
  readonly business: { readonly id: number; readonly name: string };
  /** The coordinates of the branch; null if they are unknown. */
  readonly origin: { readonly latitude: number; readonly longitude: number } | null;
  readonly user: { readonly id: number; readonly name: string } | null;
  readonly driver: (Driver & { readonly trackingId: string | null; readonly last: DriverLocation | null }) | null;
  /** The chat of the customer `externalUserId` in the business's own app. */
  readonly inAppChat: {
    readonly id: number;
    readonly lastMessageAt: string | null;
    readonly contact: { readonly id: number; readonly name: string; readonly platformId: string };
  } | null;
  readonly taxIdLabel: string;
}

/** The order without the fields that only `ShownOrder` has. */
export function orderOf({ business, origin, user, driver, inAppChat, taxIdLabel, ...order }: ShownOrder): Order {
  return { ...order, driver: driver && { id: driver.id, name: driver.name, phone: driver.phone } };
}

/** The order's own fields that a list needs. */
export const listedFields = [
  "id",
  "status",
  "type",
  "shipmentMethod",
  "paymentMethod",
  "createdAt",
  "extraData",
  "speedyPrice",
] as const satisfies readonly (keyof OrderRecord)[];

export type ListedOrder = Pick<
  Order,
  (typeof listedFields)[number] | Exclude<keyof Order, keyof OrderRecord | "driver">
>;

/** The record of a cancelled order, with chat and contact. */
export type CancelledOrder = OrderRecord & Pick<Order, "chat">;

/** `from` is inclusive, `to` exclusive. A bound that is null does not limit the period. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface OrderFilter extends Period {
  readonly tab: OrderState | null;
  readonly branchId: number | null;
  /** The agent that the order's chat is assigned to. */
  readonly agentId: number | null;
}

/** The number of orders in each tab. */
export type TabCounts = Readonly<Record<OrderState, number>>;

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  /** Aborting it ends the query. */
  readonly signal?: AbortSignal | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The number of all matches on all pages. */
  readonly total: number;
}

export interface CancelledFilter extends Period {
  readonly type: string | null;
  /** Part of the reason; case does not matter. */
  readonly reason: string | null;
}

export interface OrderReads {
  find(businessId: number, orderId: number): Promise<ShownOrder | null>;
}

export interface MessageOrders {
  /** @param seenBy - the agent who must be able to see the order's chat; null if every chat is allowed */
  ofMessage(businessId: number, messageId: number, seenBy: number | null): Promise<number | null>;
}

export interface OrderLists {
  /** Newest first. Null if the business has no plan. */
  list(businessId: number, filter: OrderFilter, page: PageRequest): Promise<Page<ListedOrder> | null>;
  /** Null if the business has no plan. */
  counts(businessId: number, filter: Omit<OrderFilter, "tab">, signal: AbortSignal): Promise<TabCounts | null>;
  /**
   * The order with the id `text`, and the orders of contacts whose phone number or name contains `text`, newest first.
   * Considers only the 1,000 newest of these contacts. Null if the business has no plan.
   */
  search(businessId: number, text: string, page: PageRequest): Promise<Page<ListedOrder> | null>;
  /** Newest first. */
  cancelled(businessId: number, filter: CancelledFilter, page: PageRequest): Promise<Page<CancelledOrder>>;
  /** The newest orders of a chat. */
  ofChat(businessId: number, chatId: number, limit: number): Promise<readonly ListedOrder[]>;
  hasPlan(businessId: number): Promise<boolean>;
}

export interface OrderHistory {
  /** Newest first. Null if there is no such order. */
  list(businessId: number, orderId: number, page: PageRequest): Promise<Page<OrderChange> | null>;
}

import type { OrderChange } from "../../domain/change.ts";
import type { Driver, Order, OrderRecord } from "../../domain/order.ts";
import type { OrderState } from "../../domain/states.ts";
import type { DriverLocation } from "../delivery/integrations.ts";

/** An order with all that surrounds it. */
export interface ShownOrder extends Order {
  readonly business: { readonly id: number; readonly name: string };
  /** Where the branch is; null when it is not known. */
  readonly origin: { readonly latitude: number; readonly longitude: number } | null;
  readonly user: { readonly id: number; readonly name: string } | null;
  readonly driver: (Driver & { readonly trackingId: string | null; readonly last: DriverLocation | null }) | null;
  /** The thread in the business's own app of the customer whom `externalUserId` names. */
  readonly inAppChat: {
    readonly id: number;
    readonly lastMessageAt: string | null;
    readonly contact: { readonly id: number; readonly name: string; readonly platformId: string };
  } | null;
  readonly taxIdLabel: string;
}

/** The order without what surrounds it. */
export function orderOf({ business, origin, user, driver, inAppChat, taxIdLabel, ...order }: ShownOrder): Order {
  return { ...order, driver: driver && { id: driver.id, name: driver.name, phone: driver.phone } };
}

/** What a list needs of an order's own fields. */
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

/** What a list needs of an order. */
export type ListedOrder = Pick<
  Order,
  (typeof listedFields)[number] | Exclude<keyof Order, keyof OrderRecord | "driver">
>;

/** A cancelled order as its record stands, with chat and contact. */
export type CancelledOrder = OrderRecord & Pick<Order, "chat">;

/** From inclusive to exclusive; an open end is null. */
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

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** All matches, whatever the page. */
  readonly total: number;
}

export interface CancelledFilter extends Period {
  readonly type: string | null;
  /** Any part of the reason, whatever its case. */
  readonly reason: string | null;
}

export interface OrderReads {
  find(businessId: number, orderId: number): Promise<ShownOrder | null>;
}

export interface MessageOrders {
  /** @param seenBy - the agent whose chats count; null for all chats */
  ofMessage(businessId: number, messageId: number, seenBy: number | null): Promise<number | null>;
}

export interface OrderLists {
  /** Newest first. Null when the business has no plan. An aborted signal ends the reading, here and below. */
  list(
    businessId: number,
    filter: OrderFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<ListedOrder> | null>;
  /** How many orders each tab has. Null when the business has no plan. */
  counts(
    businessId: number,
    filter: Omit<OrderFilter, "tab">,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<OrderState, number>> | null>;
  /**
   * The order of that id, and those of the contacts whose name or number contains the text: of the 1,000 newest such
   * contacts. Newest orders first. Null when the business has no plan.
   */
  search(businessId: number, text: string, page: PageRequest, signal?: AbortSignal): Promise<Page<ListedOrder> | null>;
  /** Newest first. */
  cancelled(
    businessId: number,
    filter: CancelledFilter,
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<CancelledOrder>>;
  /** The newest ones of a chat. */
  ofChat(businessId: number, chatId: number, limit: number): Promise<readonly ListedOrder[]>;
  hasPlan(businessId: number): Promise<boolean>;
}

export interface OrderHistory {
  /** Newest first. Null where there is no such order. */
  list(businessId: number, orderId: number, page: PageRequest): Promise<Page<OrderChange> | null>;
}

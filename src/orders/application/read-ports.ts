import type { Money } from "../../kernel/money.ts";
import type { Order } from "../domain/order.ts";
import type { Tab } from "../domain/reading.ts";

interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** What a price of the delivery depends on. */
export interface DeliveryFacts {
  readonly businessId: number;
  readonly orderId: number;
  readonly branchId: number | null;
  readonly zoneId: number | null;
  /** Of the branch; null when it is not known. */
  readonly origin: Position | null;
  /** Where the order goes; null when only its address is known. */
  readonly destination: Position | null;
  readonly address: string | null;
}

export interface DeliveryPricing {
  /** The price; null where there is none. Answers or rejects within a bounded time. */
  priceOf(delivery: DeliveryFacts): Promise<Money | null>;
}

export interface Driver {
  readonly businessId: number;
  readonly id: number;
  readonly name: string;
  readonly phone: string | null;
  /** Under which the tracking integration knows the driver. */
  readonly trackingId: string | null;
}

export interface DriverLocation {
  readonly lat: number;
  readonly lng: number;
  /** Null when nobody noted it down. */
  readonly at: Date | null;
}

export interface DriverTracking {
  /** Where the driver is now; null where nobody knows. Answers or rejects within a bounded time. */
  locate(driver: Driver): Promise<DriverLocation | null>;
}

/** An order with all that surrounds it. */
export interface ShownOrder extends Order {
  readonly business: { readonly id: number; readonly name: string };
  /** Of the branch. */
  readonly origin: Position | null;
  readonly user: { readonly id: number; readonly name: string } | null;
  readonly driver: (Omit<Driver, "businessId"> & { readonly last: DriverLocation | null }) | null;
  /** The thread in the business's own app of the customer whom `externalUserId` names. */
  readonly inAppChat: {
    readonly id: number;
    readonly lastMessageAt: Date | null;
    readonly contact: { readonly id: number; readonly name: string; readonly platformId: string };
  } | null;
  readonly taxIdLabel: string;
}

/** What a list shows of an order. */
export type ListedOrder = Pick<
  Order,
  | "id"
  | "status"
  | "type"
  | "shipmentMethod"
  | "paymentMethod"
  | "createdAt"
  | "extraData"
  | "speedyPrice"
  | "branch"
  | "zone"
  | "chat"
  | "lines"
  | "discount"
>;

/** A cancelled order as its record stands, with chat and contact. */
export type CancelledOrder = Omit<Order, "version" | "speedyPrice" | "branch" | "zone" | "lines" | "discount">;

/** From inclusive to exclusive; an open end is null. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface OrderFilter extends Period {
  readonly tab: Tab | null;
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
  /** Remembers a price unless the order has changed since that version, or has one by now. */
  rememberPrice(businessId: number, orderId: number, version: number, price: Money): Promise<void>;
}

export interface OrderLists {
  /** Newest first. Null when the business has no plan. */
  list(businessId: number, filter: OrderFilter, page: PageRequest): Promise<Page<ListedOrder> | null>;
  /** How many orders each tab has. Null when the business has no plan. */
  counts(businessId: number, filter: Omit<OrderFilter, "tab">): Promise<Readonly<Record<Tab, number>> | null>;
  /**
   * The order of that id, and those of the contacts whose name or number contains the text: of the 1,000 newest such
   * contacts. Newest orders first. Null when the business has no plan.
   */
  search(businessId: number, text: string, page: PageRequest): Promise<Page<ListedOrder> | null>;
  /** Newest first. */
  cancelled(businessId: number, filter: CancelledFilter, page: PageRequest): Promise<Page<CancelledOrder>>;
  /** The IANA name of the business's zone. */
  timezoneOf(businessId: number): Promise<string>;
}

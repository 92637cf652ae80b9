import type { LoggedEvent } from "../../kernel/events.ts";
import type { Branch, Contact, Order } from "../domain/order.ts";

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

/**
 * What `order:changed` holds: all that a client needs to draw an order's card again, as JSON has it. Dates are ISO 8601;
 * prices of what is sold are decimals in text, the sums are numbers in units of the currency.
 */
export interface OrderCard extends OrderRef {
  readonly version: number;
  readonly status: number;
  readonly type: string;
  readonly shipmentMethod: string | null;
  readonly paymentMethod: string | null;
  readonly paid: boolean | null;
  readonly cancelReason: string | null;
  readonly locationLabel: string | null;
  readonly rawAddress: string | null;
  readonly scheduledAt: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly total: number;
  readonly discount: number;
  readonly speedyPrice: number | null;
  readonly branch: Branch | null;
  readonly zone: { readonly id: number; readonly price: string; readonly branch: Branch | null } | null;
  readonly chat: {
    readonly id: number;
    readonly supportUserId: number | null;
    readonly lastMessageAt: string | null;
    readonly contact: Contact;
  } | null;
  readonly lines: readonly OrderCardLine[];
}

export interface OrderCardLine {
  readonly id: number;
  readonly quantity: number;
  readonly type: string;
  readonly retailerId: string | null;
  readonly article: { readonly id: number; readonly name: string; readonly price: string };
  readonly extras: readonly {
    readonly id: number;
    readonly extra: { readonly id: number; readonly name: string; readonly charge: string };
  }[];
}

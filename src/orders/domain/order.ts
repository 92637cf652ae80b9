import type { ExtraData } from "./extra-data.ts";

/** Orders as JSON: amounts are decimal texts for `moneyOf`, dates are ISO 8601 in UTC. */

interface Contact {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly platformId: string;
}

interface Branch {
  readonly id: number;
  readonly name: string;
}

export interface Zone {
  readonly id: number;
  readonly price: string;
  readonly branch: Branch | null;
}

interface Extra {
  readonly id: number;
  readonly name: string;
  readonly charge: string;
}

interface LineExtra {
  readonly id: number;
  readonly extra: Extra;
}

export interface Line {
  readonly id: number;
  readonly quantity: number;
  readonly type: "item" | "delivery_coupon";
  readonly retailerId: string | null;
  readonly article: { readonly id: number; readonly name: string; readonly price: string };
  readonly extras: readonly LineExtra[];
}

export interface Driver {
  readonly id: number;
  readonly name: string;
  readonly phone: string | null;
}

/** An order's own fields. */
export interface OrderRecord {
  readonly businessId: number;
  readonly id: number;
  readonly version: number;
  readonly status: number;
  readonly type: string;
  readonly shipmentMethod: "delivery" | "pickup" | null;
  readonly paymentMethod: string | null;
  readonly branchId: number | null;
  readonly locationLabel: string | null;
  readonly rawAddress: string | null;
  readonly paid: boolean | null;
  readonly scheduledAt: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly zoneId: number | null;
  readonly chatId: number | null;
  readonly externalUserId: string | null;
  readonly cancelReason: string | null;
  readonly transactionId: string | null;
  readonly paymentExpiresAt: string | null;
  readonly extraData: ExtraData;
  /** The delivery-pricing integration's price for the present delivery, if it is known. */
  readonly speedyPrice: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Chat {
  readonly id: number;
  readonly supportUserId: number | null;
  readonly lastMessageAt: string | null;
  readonly contact: Contact;
}

/** An order with everything that its total and its card need. */
export interface Order extends OrderRecord {
  readonly branch: Branch | null;
  readonly zone: Zone | null;
  readonly chat: Chat | null;
  readonly driver: Driver | null;
  readonly lines: readonly Line[];
  /** The sum of all its discounts. */
  readonly discount: string;
}

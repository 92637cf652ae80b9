import type { Money } from "../../kernel/money.ts";
import type { ExtraData } from "./extra-data.ts";

export interface Contact {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly platformId: string;
}

export interface Branch {
  readonly id: number;
  readonly name: string;
}

export interface Zone {
  readonly id: number;
  readonly price: Money;
  readonly branch: Branch | null;
}

export interface Extra {
  readonly id: number;
  readonly name: string;
  readonly charge: Money;
}

export interface LineExtra {
  readonly id: number;
  readonly extra: Extra;
}

export interface Line {
  readonly id: number;
  readonly quantity: number;
  readonly type: "item" | "delivery_coupon";
  readonly retailerId: string | null;
  readonly article: { readonly id: number; readonly name: string; readonly price: Money };
  readonly extras: readonly LineExtra[];
}

/** An order with everything that its total and its card depend on. */
export interface Order {
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
  readonly scheduledAt: Date | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly zoneId: number | null;
  readonly chatId: number | null;
  readonly externalUserId: string | null;
  readonly cancelReason: string | null;
  readonly transactionId: string | null;
  readonly paymentExpiresAt: Date | null;
  readonly extraData: ExtraData;
  /** What the delivery-pricing integration asks for it as it stands, when known. */
  readonly speedyPrice: Money | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly branch: Branch | null;
  readonly zone: Zone | null;
  readonly chat: {
    readonly id: number;
    readonly supportUserId: number | null;
    readonly lastMessageAt: Date | null;
    readonly contact: Contact;
  } | null;
  readonly lines: readonly Line[];
  /** The sum of all its discounts. */
  readonly discount: Money;
}

import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Actor, ExpectedVersion } from "../../domain/change.ts";
import type { OrderRecord } from "../../domain/order.ts";
import type { OrderEvents } from "../order-events.ts";

/** A change of one order of a business. */
export interface OrderEdit {
  readonly businessId: number;
  readonly orderId: number;
  readonly actor: Actor;
  readonly expected: ExpectedVersion;
}

/** What is written as it is given, null included. */
export interface OrderFields
  extends Pick<OrderRecord, "shipmentMethod" | "paymentMethod" | "branchId" | "locationLabel" | "rawAddress" | "paid"> {
  /** Of an order to be delivered, the zone's branch takes the place of `branchId`. */
  readonly takesBranchOfZone: boolean;
}

/** Null stores null; what is `undefined` stays as it is. */
export interface OrderUpdate extends OrderEdit, OrderFields {
  readonly scheduledAt: Date | null | undefined;
  readonly latitude: number | null | undefined;
  readonly longitude: number | null | undefined;
  readonly zoneId: number | null | undefined;
}

export interface NewLine {
  readonly articleId: number;
  readonly quantity: number;
  readonly extras: readonly PickedExtra[];
}

export interface LineAddition extends OrderEdit, NewLine {}

export interface PickedExtra {
  readonly id: number;
  /** What the order pays for it instead of its charge. */
  readonly custom: { readonly price: number; readonly picked: string } | null;
}

export interface LineRemoval extends OrderEdit {
  readonly lineId: number;
}

export interface UpdateFindings {
  readonly isCurrent: boolean;
  readonly hasBranch: boolean;
  readonly hasZone: boolean;
}

export interface AdditionFindings {
  readonly hasArticle: boolean;
  readonly hasOrder: boolean;
  readonly isCurrent: boolean;
}

export type Removal =
  /** From that order, which need not be the one that was named. */
  | { readonly outcome: "removed"; readonly ownOrderId: number }
  /** It never was, or was removed in the meantime. */
  | { readonly outcome: "no-line" }
  /** The order that was named is not as expected, or there is none. */
  | { readonly outcome: "moved-on" };

/**
 * The changes of orders, each one statement that locks the order's row first, counts its version up and writes its
 * history. Where something that it needs is not there, or the order is not as expected, it changes nothing and only
 * tells what it found.
 */
export interface OrderEdits {
  /** Null where there is no such order. */
  update(update: OrderUpdate): Promise<UpdateFindings | null>;
  addLine(addition: LineAddition): Promise<AdditionFindings>;
  /** Does without the order itself, unless a version of it is expected. */
  removeLine(removal: LineRemoval): Promise<Removal>;
}

export interface OrderEditStores {
  readonly edits: OrderEdits;
  readonly events: OrderEvents;
}

export type OrderEditUnitOfWork = UnitOfWork<OrderEditStores>;

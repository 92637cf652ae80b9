import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Actor, ExpectedVersion } from "../../domain/change.ts";
import type { OrderRecord } from "../../domain/order.ts";
import type { OrderEvents } from "../order-events.ts";

export interface OrderEdit {
  readonly businessId: number;
  readonly orderId: number;
  readonly actor: Actor;
  readonly expected: ExpectedVersion;
}

/** These fields are always written, even if they are null. */
export interface OrderFields
  extends Pick<OrderRecord, "shipmentMethod" | "paymentMethod" | "branchId" | "locationLabel" | "rawAddress" | "paid"> {
  /** If true and the order is to be delivered, the branch of the order's zone replaces `branchId`. */
  readonly takesBranchOfZone: boolean;
}

/** Null stores null; `undefined` keeps the stored value. */
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
  /** The price that replaces the extra's charge, and the picked option. */
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
  /** The line was in the order `ownOrderId`, which may be another order than the request names. */
  | { readonly outcome: "removed"; readonly ownOrderId: number }
  /** There is no such line. */
  | { readonly outcome: "no-line" }
  /** `expected` is not null, but the named order has another version or does not exist. */
  | { readonly outcome: "moved-on" };

/** Each change locks the order first and writes its history. If the findings forbid the change, nothing is stored. */
export interface OrderEdits {
  /** Null if there is no such order. */
  update(update: OrderUpdate): Promise<UpdateFindings | null>;
  addLine(addition: LineAddition): Promise<AdditionFindings>;
  /** If `expected` is null, the line is removed even if the named order does not exist. */
  removeLine(removal: LineRemoval): Promise<Removal>;
}

export interface OrderEditStores {
  readonly edits: OrderEdits;
  readonly events: OrderEvents;
}

export type OrderEditUnitOfWork = UnitOfWork<OrderEditStores>;

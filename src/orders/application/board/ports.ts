import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Actor } from "../../domain/change.ts";
import type { OrderState, Step } from "../../domain/states.ts";
import type { NewLine, OrderEdit, OrderFields } from "../edits/ports.ts";
import type { OrderEvents } from "../order-events.ts";
import type { ShownOrder } from "../reads/ports.ts";

export interface NewOrder extends OrderFields {
  readonly businessId: number;
  readonly actor: Actor;
  readonly type: string;
  readonly chatId: number | null;
  /** The agent who must be able to see the chat; null if every chat is allowed. */
  readonly seenBy: number | null;
  readonly scheduledAt: Date | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly zoneId: number | null;
  readonly lines: readonly NewLine[];
}

/** Whether the records that a new order refers to exist. The order is created only if all of them exist. */
export interface CreationFindings {
  readonly id: number;
  readonly hasChat: boolean;
  readonly hasBranch: boolean;
  readonly hasZone: boolean;
  readonly hasArticles: boolean;
}

export interface OrderMove extends OrderEdit {
  readonly to: OrderState;
  /** All steps that lead to the state `to`, also those that the mover may not make. */
  readonly steps: readonly Step[];
  /** Why the order is cancelled; null if `to` is another state. */
  readonly cancelReason: string | null;
}

export interface MoveFindings {
  readonly isCurrent: boolean;
  /** Null if no step leads from the order's state to the wanted one. */
  readonly isAllowed: boolean | null;
}

export interface DriverAssignment extends OrderEdit {
  readonly driverId: number | null;
}

export interface AssignmentFindings {
  readonly isCurrent: boolean;
  readonly hasDriver: boolean;
  /** The order already had this driver, so nothing was written. */
  readonly isSame: boolean;
}

/** Changes lock an existing order first, and write its history. If the findings forbid a change, nothing is stored. */
export interface BoardEdits {
  create(order: NewOrder): Promise<CreationFindings>;
  /** Null if there is no such order, as for `assignDriver` and `find`. */
  move(move: OrderMove): Promise<MoveFindings | null>;
  assignDriver(assignment: DriverAssignment): Promise<AssignmentFindings | null>;
  /** The order as this transaction has left it. */
  find(businessId: number, orderId: number): Promise<ShownOrder | null>;
}

export type BoardUnitOfWork = UnitOfWork<{ readonly board: BoardEdits; readonly events: OrderEvents }>;

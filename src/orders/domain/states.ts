/** The states of an order, by the names of the listing's tabs, each with how it is stored; the first is what is written. */
export const statusesOf = {
  pending: [8],
  progress: [1],
  "on-the-way": [2, 3],
  completed: [4],
  cancelled: [5],
} as const;

export type OrderState = keyof typeof statusesOf;
export const orderStates = Object.keys(statusesOf) as readonly OrderState[];
export const storedStatuses: readonly number[] = Object.values(statusesOf).flat();

/** The state of an order as it is stored. */
export function stateOf(status: number): OrderState {
  const state = orderStates.find((each) => (statusesOf[each] as readonly number[]).includes(status));
  if (!state) throw new Error(`no state is stored as ${status}`);
  return state;
}

/** What is written for a state, and stands for it in lists. */
export const statusOf = {
  pending: statusesOf.pending[0],
  progress: statusesOf.progress[0],
  "on-the-way": statusesOf["on-the-way"][0],
  completed: statusesOf.completed[0],
  cancelled: statusesOf.cancelled[0],
} as const satisfies Record<OrderState, number>;

/** Managers are administrators and App Keys; agents are all other users. */
export type Mover = "bot" | "agent" | "manager";
type Move = "forward" | "cancel" | "back" | "reopen";

const movers: Readonly<Record<Move, readonly Mover[]>> = {
  forward: ["agent", "manager"],
  cancel: ["bot", "agent", "manager"],
  back: ["manager"],
  reopen: ["manager"],
};

/** By state, to where an order goes from there. */
const moves: Readonly<Record<OrderState, Readonly<Partial<Record<OrderState, Move>>>>> = {
  pending: { progress: "forward", cancelled: "cancel" },
  progress: { "on-the-way": "forward", completed: "forward", pending: "back", cancelled: "cancel" },
  "on-the-way": { completed: "forward", progress: "back", cancelled: "cancel" },
  completed: { "on-the-way": "back", progress: "back", pending: "reopen" },
  cancelled: { pending: "reopen" },
};

/** Orders that are picked up are never on the way: they go straight between these two, and no others do. */
const pickupSteps: readonly OrderState[] = ["progress", "completed"];

type ShipmentMethod = "delivery" | "pickup" | null;

/** What it means to move an order from one state to another; null where no such step is made by anybody. */
function moveBetween(from: OrderState, to: OrderState, shipmentMethod: ShipmentMethod): Move | null {
  const isPickup = shipmentMethod === "pickup";
  const isPickupStep = pickupSteps.includes(from) && pickupSteps.includes(to);
  if (isPickup ? to === "on-the-way" : isPickupStep) return null;
  return moves[from][to] ?? null;
}

/** Whether somebody may move an order from one state to another. */
export function mayMove(mover: Mover, from: OrderState, to: OrderState, shipmentMethod: ShipmentMethod): boolean {
  const move = moveBetween(from, to, shipmentMethod);
  return move !== null && movers[move].includes(mover);
}

/** A step to a state from an order as it is stored. */
export interface Step {
  readonly status: number;
  readonly isPickup: boolean;
  /** Others may make it where this mover may not. */
  readonly isAllowed: boolean;
}

/** All steps that lead to a state, also those that this mover may not make. No other step exists. */
export const stepsTo = (to: OrderState, mover: Mover): readonly Step[] =>
  ([null, "pickup"] as const).flatMap((shipmentMethod) =>
    orderStates
      .filter((from) => moveBetween(from, to, shipmentMethod) !== null)
      .flatMap((from) =>
        statusesOf[from].map((status) => ({
          status,
          isPickup: shipmentMethod === "pickup",
          isAllowed: mayMove(mover, from, to, shipmentMethod),
        })),
      ),
  );

/** Neither completed nor cancelled, as stored: what may still be cancelled. */
export const openStatuses: readonly number[] = orderStates
  .filter((state) => moves[state].cancelled)
  .flatMap((state) => statusesOf[state]);

export const isOpen = ({ status }: { readonly status: number }): boolean => openStatuses.includes(status);

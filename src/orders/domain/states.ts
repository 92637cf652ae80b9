/** The stored statuses of each state. Only a state's first status is still written. States are the listing's tabs. */
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

export function stateOf(status: number): OrderState {
  const state = orderStates.find((each) => (statusesOf[each] as readonly number[]).includes(status));
  if (!state) throw new Error(`no state is stored as ${status}`);
  return state;
}

/** The status that is written for a state. */
export const statusOf = {
  pending: statusesOf.pending[0],
  progress: statusesOf.progress[0],
  "on-the-way": statusesOf["on-the-way"][0],
  completed: statusesOf.completed[0],
  cancelled: statusesOf.cancelled[0],
} as const satisfies Record<OrderState, number>;

/** Managers are administrators and App Keys; agents are all other users. */
export type Mover = "agent" | "manager";

/** For each state, the states that an order can move to, and who may move it there. Managers may do what agents may. */
const moves: Readonly<Record<OrderState, Readonly<Partial<Record<OrderState, Mover>>>>> = {
  pending: { progress: "agent", cancelled: "agent" },
  progress: { "on-the-way": "agent", completed: "agent", pending: "manager", cancelled: "agent" },
  "on-the-way": { completed: "agent", progress: "manager", cancelled: "agent" },
  completed: { "on-the-way": "manager", progress: "manager", pending: "manager" },
  cancelled: { pending: "manager" },
};

/** Only orders for pickup move directly between these two states. All other orders are on the way in between. */
const pickupSteps: readonly OrderState[] = ["progress", "completed"];

type ShipmentMethod = "delivery" | "pickup" | null;

/** Who may make the step from one state to another; null if there is no such step. */
function moverOf(from: OrderState, to: OrderState, shipmentMethod: ShipmentMethod): Mover | null {
  const isPickup = shipmentMethod === "pickup";
  const isPickupStep = pickupSteps.includes(from) && pickupSteps.includes(to);
  if (isPickup ? to === "on-the-way" : isPickupStep) return null;
  return moves[from][to] ?? null;
}

export function mayMove(mover: Mover, from: OrderState, to: OrderState, shipmentMethod: ShipmentMethod): boolean {
  const needed = moverOf(from, to, shipmentMethod);
  return needed === "agent" || needed === mover;
}

/** A step to a state from a stored status. */
export interface Step {
  readonly status: number;
  readonly isPickup: boolean;
  /** Whether the mover given to `stepsTo` may make the step. */
  readonly isAllowed: boolean;
}

/** All steps that lead to a state, also those that `mover` may not make. */
export const stepsTo = (to: OrderState, mover: Mover): readonly Step[] =>
  ([null, "pickup"] as const).flatMap((shipmentMethod) =>
    orderStates
      .filter((from) => moverOf(from, to, shipmentMethod) !== null)
      .flatMap((from) =>
        statusesOf[from].map((status) => ({
          status,
          isPickup: shipmentMethod === "pickup",
          isAllowed: mayMove(mover, from, to, shipmentMethod),
        })),
      ),
  );

/** The stored statuses of open orders. An order is open as long as it can be cancelled. */
export const openStatuses: readonly number[] = orderStates
  .filter((state) => moves[state].cancelled)
  .flatMap((state) => statusesOf[state]);

export const isOpen = ({ status }: { readonly status: number }): boolean => openStatuses.includes(status);

import { expect } from "chai";
import {
  isOpen,
  type Mover,
  mayMove,
  type OrderState,
  openStatuses,
  orderStates,
  statusesOf,
  statusOf,
  stepsTo,
  storedStatuses,
} from "../../src/orders/domain/states.ts";
import { addOrder } from "./shop.ts";
import { type Shops, startShops } from "./shops.ts";

/** The allowed moves as `from > to`. */
const movesOf = (mover: Mover, shipmentMethod: "delivery" | "pickup" | null): string[] =>
  orderStates.flatMap((from) =>
    orderStates.filter((to) => mayMove(mover, from, to, shipmentMethod)).map((to) => `${from} > ${to}`),
  );

const cancelling = ["pending > cancelled", "progress > cancelled", "on-the-way > cancelled"];
const reopening = ["completed > pending", "cancelled > pending"];

describe("the states of an order", () => {
  it("allow an agent single steps forward, and the cancellation of open orders", () => {
    for (const method of ["delivery", null] as const) {
      expect(movesOf("agent", method)).to.have.members([
        "pending > progress",
        "progress > on-the-way",
        "on-the-way > completed",
        ...cancelling,
      ]);
    }
  });

  it("omit `on-the-way` if the order is picked up", () => {
    expect(movesOf("agent", "pickup")).to.have.members([
      "pending > progress",
      "progress > completed",
      // For an order that became a pickup order while it was on the way.
      "on-the-way > completed",
      ...cancelling,
    ]);
  });

  it("also allow administrators and keys one step back, and reopening", () => {
    const back = (method: "delivery" | "pickup") =>
      movesOf("manager", method).filter((move) => !movesOf("agent", method).includes(move));
    expect(back("delivery")).to.have.members([
      "progress > pending",
      "on-the-way > progress",
      "completed > on-the-way",
      ...reopening,
    ]);
    expect(back("pickup")).to.have.members([
      "progress > pending",
      "on-the-way > progress",
      "completed > progress",
      ...reopening,
    ]);
  });

  it("are open unless the order is completed or cancelled, and the bot cancels only open orders", () => {
    expect([...openStatuses].sort()).to.deep.equal([1, 2, 3, 8]);
    expect(storedStatuses.filter((status) => !isOpen({ status }))).to.deep.equal([4, 5]);
  });

  it("can be reached only by the listed steps, each for certain callers", () => {
    for (const mover of ["agent", "manager"] as const) {
      for (const method of ["delivery", "pickup", null] as const) {
        for (const from of orderStates) {
          for (const status of statusesOf[from]) {
            for (const to of orderStates) {
              const steps = stepsTo(to, mover).filter(
                (step) => step.status === status && step.isPickup === (method === "pickup"),
              );
              const isStep = mayMove("manager", from, to, method);
              const expected = isStep ? [mayMove(mover, from, to, method)] : [];
              expect(steps.map(({ isAllowed }) => isAllowed)).to.deep.equal(expected);
            }
          }
        }
      }
    }
  });

  it("are stored as the status that lists show for them", () => {
    expect(statusOf).to.deep.equal({ pending: 8, progress: 1, "on-the-way": 2, completed: 4, cancelled: 5 });
  });

  describe("in the database", () => {
    let shops: Shops;
    before(async () => {
      shops = await startShops();
    });
    after(() => shops.stop());

    const stateOf = (status: number): OrderState | undefined =>
      orderStates.find((state) => statusesOf[state].some((each) => each === status));

    it("are the same in constraints, tabs, the search for abandoned carts and delivery prices", async () => {
      for (let status = 0; status <= 12; status += 1) {
        const state = stateOf(status);
        const adding = addOrder(shops, 1, { status, latitude: 1, longitude: 1 });
        if (!state) {
          expect(await adding.catch(({ code }) => code), `${status}`).to.equal("23514");
          continue;
        }
        const [row] = await shops.rows<{ tab: number; wanted: boolean }>(
          `select tab, exists (select from wanted_delivery_prices where order_id = id) as wanted
           from orders where business_id = 1 and id = $1`,
          [await adding],
        );
        expect(row, `${status}`).to.deep.equal({ tab: statusOf[state], wanted: isOpen({ status }) });
      }
      const [index] = await shops.rows<{ predicate: string }>(
        `select pg_get_expr(indpred, indrelid) as predicate from pg_index
         where indexrelid = 'public.orders_open_unpaid'::regclass`,
      );
      const searched = [...(index?.predicate.matchAll(/\d+/g) ?? [])].map(([status]) => Number(status));
      expect(searched).to.have.members(openStatuses);
    });
  });
});

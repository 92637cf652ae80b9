import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { BoardSearch } from "./board.ts";
import { states } from "./orders.ts";

const idOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

const dayOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** What an address says of the board; what it says wrongly counts as not said. */
function boardSearch({ branch, agent, from, to, tab, q }: Record<string, unknown>): BoardSearch {
  const search = {
    branch: idOf(branch),
    agent: idOf(agent),
    from: dayOf(from),
    to: dayOf(to),
    tab: states.find((state) => state === tab && state !== "pending"),
    q: (typeof q === "string" || typeof q === "number") && q !== "" ? String(q).slice(0, 100) : undefined,
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

const screen = () => import("./orders-screen.tsx");

export const ordersRoutes = <Root extends AnyRoute>(root: Root) => {
  const board = createRoute({
    getParentRoute: () => root,
    path: "orders",
    component: lazyRouteComponent(screen, "OrdersScreen"),
    validateSearch: boardSearch,
  });
  const newOrder = createRoute({
    getParentRoute: () => board,
    path: "new",
    component: lazyRouteComponent(() => import("./new-order.tsx"), "NewOrder"),
    validateSearch: ({ chat }: Record<string, unknown>): { readonly chat?: number } => {
      const id = idOf(chat);
      return id === undefined ? {} : { chat: id };
    },
  });
  const order = createRoute({
    getParentRoute: () => board,
    path: "$order",
    component: lazyRouteComponent(() => import("./order-drawer.tsx"), "OrderDrawer"),
  });
  return board.addChildren([newOrder, order]);
};

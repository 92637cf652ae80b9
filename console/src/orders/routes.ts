import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { dayParam, idParam, oneOf, said, textParam } from "../shared/search-params.ts";
import type { BoardSearch } from "./board.ts";
import { states } from "./orders.ts";

function boardSearch({ branch, agent, from, to, tab, q }: Record<string, unknown>): BoardSearch {
  return said<BoardSearch>({
    branch: idParam(branch),
    agent: idParam(agent),
    from: dayParam(from),
    to: dayParam(to),
    tab: tab === "pending" ? undefined : oneOf(states, tab),
    q: textParam(q),
  });
}

const screen = () => import("./orders-screen.tsx");

export const ordersRoutes = <Root extends AnyRoute>(root: Root) => {
  const board = createRoute({
    getParentRoute: () => root,
    path: "orders",
    component: lazyScreen(screen, "OrdersScreen"),
    validateSearch: boardSearch,
  });
  const newOrder = createRoute({
    getParentRoute: () => board,
    path: "new",
    component: lazyScreen(() => import("./new-order.tsx"), "NewOrder"),
    validateSearch: ({ chat }: Record<string, unknown>) => said<{ readonly chat?: number }>({ chat: idParam(chat) }),
  });
  const order = createRoute({
    getParentRoute: () => board,
    path: "$order",
    component: lazyScreen(() => import("./order-drawer.tsx"), "OrderDrawer"),
  });
  return board.addChildren([newOrder, order]);
};

import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";

export const ordersRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "orders",
    component: lazyRouteComponent(() => import("./orders-screen.tsx"), "OrdersScreen"),
  });

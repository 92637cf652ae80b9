import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";

export const reportsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "reports",
    component: lazyRouteComponent(() => import("./reports-screen.tsx"), "ReportsScreen"),
  });

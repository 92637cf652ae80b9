import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { reportSearch } from "./search.ts";

export const reportsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "reports",
    component: lazyRouteComponent(() => import("./reports-screen.tsx"), "ReportsScreen"),
    validateSearch: reportSearch,
  });

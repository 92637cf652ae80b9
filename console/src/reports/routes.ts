import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { reportSearch } from "./search.ts";

export const reportsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "reports",
    component: lazyScreen(() => import("./reports-screen.tsx"), "ReportsScreen"),
    validateSearch: reportSearch,
  });

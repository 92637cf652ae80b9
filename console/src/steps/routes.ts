import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { stepsSearch } from "./steps-search.ts";

export const stepsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "settings/steps",
    component: lazyRouteComponent(() => import("./steps-screen.tsx"), "StepsScreen"),
    validateSearch: stepsSearch,
  });

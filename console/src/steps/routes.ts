import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { stepsSearch } from "./steps-search.ts";

export const stepsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "settings/steps",
    component: lazyScreen(() => import("./steps-screen.tsx"), "StepsScreen"),
    validateSearch: stepsSearch,
  });

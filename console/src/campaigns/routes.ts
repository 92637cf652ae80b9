import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";

export const campaignsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "campaigns",
    component: lazyRouteComponent(() => import("./campaigns-screen.tsx"), "CampaignsScreen"),
  });

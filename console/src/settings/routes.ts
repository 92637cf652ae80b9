import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";

export const settingsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "settings",
    component: lazyRouteComponent(() => import("./settings-screen.tsx"), "SettingsScreen"),
  });

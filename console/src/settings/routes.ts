import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";

export const settingsRoutes = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "settings",
    component: lazyScreen(() => import("./settings-screen.tsx"), "SettingsScreen"),
  });

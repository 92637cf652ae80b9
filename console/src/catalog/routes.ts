import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { catalogSearch } from "./catalog-search.ts";

const screen = <Root extends AnyRoute, const Path extends string>(root: Root, path: Path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyScreen(() => import("./catalog-screen.tsx"), "CatalogScreen"),
    validateSearch: catalogSearch,
  });

/** The routes of the resources that the generic screen edits. */
export const catalogRoutes = <Root extends AnyRoute>(root: Root) =>
  [
    screen(root, "settings/quick-replies"),
    screen(root, "settings/tags"),
    screen(root, "settings/articles"),
    screen(root, "settings/extras"),
    screen(root, "settings/zones"),
    screen(root, "settings/branches"),
    screen(root, "settings/drivers"),
    screen(root, "settings/ad-accounts"),
  ] as const;

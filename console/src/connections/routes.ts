import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { keysSearch, numbersSearch, webhooksSearch } from "./dialogs-search.ts";

/** The screens below `settings` that connect the business with the platforms and with its own systems. */
export const connectionsRoutes = <Root extends AnyRoute>(root: Root) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "settings/templates",
      component: lazyScreen(() => import("./templates-screen.tsx"), "TemplatesScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/templates/$template",
      component: lazyScreen(() => import("./template-screen.tsx"), "TemplateScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/numbers",
      component: lazyScreen(() => import("./numbers-screen.tsx"), "NumbersScreen"),
      validateSearch: numbersSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/app-keys",
      component: lazyScreen(() => import("./app-keys-screen.tsx"), "AppKeysScreen"),
      validateSearch: keysSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/webhooks",
      component: lazyScreen(() => import("./webhooks-screen.tsx"), "WebhooksScreen"),
      validateSearch: webhooksSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/webhooks/$webhook",
      component: lazyScreen(() => import("./deliveries-screen.tsx"), "DeliveriesScreen"),
    }),
  ] as const;

import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { keysSearch, numbersSearch, webhooksSearch } from "./dialogs-search.ts";

/** Below `settings`: what connects the business with the platforms and with its own systems. */
export const connectionsRoutes = <Root extends AnyRoute>(root: Root) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "settings/templates",
      component: lazyRouteComponent(() => import("./templates-screen.tsx"), "TemplatesScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/templates/$template",
      component: lazyRouteComponent(() => import("./template-screen.tsx"), "TemplateScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/numbers",
      component: lazyRouteComponent(() => import("./numbers-screen.tsx"), "NumbersScreen"),
      validateSearch: numbersSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/app-keys",
      component: lazyRouteComponent(() => import("./app-keys-screen.tsx"), "AppKeysScreen"),
      validateSearch: keysSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/webhooks",
      component: lazyRouteComponent(() => import("./webhooks-screen.tsx"), "WebhooksScreen"),
      validateSearch: webhooksSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/webhooks/$webhook",
      component: lazyRouteComponent(() => import("./deliveries-screen.tsx"), "DeliveriesScreen"),
    }),
  ] as const;

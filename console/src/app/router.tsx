import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { campaignsRoutes } from "../campaigns/routes.ts";
import { catalogRoutes } from "../catalog/routes.ts";
import { connectionsRoutes } from "../connections/routes.ts";
import { contactsRoutes } from "../contacts/routes.ts";
import { ChatScreen } from "../inbox/chat-screen.tsx";
import { InboxScreen } from "../inbox/inbox-screen.tsx";
import { inboxSearch } from "../inbox/inbox-search.ts";
import { NoChat } from "../inbox/no-chat.tsx";
import { ordersRoutes } from "../orders/routes.ts";
import { invitationRoute, peopleRoutes } from "../people/routes.ts";
import { reportsRoutes } from "../reports/routes.ts";
import { settingsRoutes } from "../settings/routes.ts";
import { stepsRoutes } from "../steps/routes.ts";
import { Failed } from "./failed.tsx";
import { Gate } from "./gate.tsx";

const rootRoute = createRootRoute({ component: Gate, errorComponent: Failed });

const toInbox = (): never => {
  throw redirect({ to: "/inbox" });
};

const home = createRoute({ getParentRoute: () => rootRoute, path: "/", beforeLoad: toInbox });

const inbox = createRoute({
  getParentRoute: () => rootRoute,
  path: "inbox",
  component: InboxScreen,
  validateSearch: inboxSearch,
});

const noChat = createRoute({ getParentRoute: () => inbox, path: "/", component: NoChat });
const chat = createRoute({ getParentRoute: () => inbox, path: "$chat", component: ChatScreen });

const screens = [
  ordersRoutes(rootRoute),
  contactsRoutes(rootRoute),
  ...campaignsRoutes(rootRoute),
  reportsRoutes(rootRoute),
  settingsRoutes(rootRoute),
  ...connectionsRoutes(rootRoute),
  ...catalogRoutes(rootRoute),
  ...peopleRoutes(rootRoute),
  stepsRoutes(rootRoute),
  invitationRoute(rootRoute),
] as const;

const elsewhere = createRoute({ getParentRoute: () => rootRoute, path: "$", beforeLoad: toInbox });

export const router = createRouter({
  routeTree: rootRoute.addChildren([home, inbox.addChildren([noChat, chat]), ...screens, elsewhere]),
  basepath: "/console",
  defaultErrorComponent: Failed,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

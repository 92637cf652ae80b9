import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { type View, views } from "../inbox/chat-lists.ts";
import { ChatScreen } from "../inbox/chat-screen.tsx";
import { InboxScreen } from "../inbox/inbox-screen.tsx";
import { NoChat } from "../inbox/no-chat.tsx";
import { Failed } from "./failed.tsx";
import { Gate } from "./gate.tsx";
import { Soon } from "./soon.tsx";

interface InboxSearch {
  readonly view?: View;
  readonly q?: string;
}

const isView = (value: unknown): value is View => views.some((view) => view === value);

const rootRoute = createRootRoute({ component: Gate, errorComponent: Failed });

const toInbox = (): never => {
  throw redirect({ to: "/inbox" });
};

const home = createRoute({ getParentRoute: () => rootRoute, path: "/", beforeLoad: toInbox });

const inbox = createRoute({
  getParentRoute: () => rootRoute,
  path: "inbox",
  component: InboxScreen,
  validateSearch: ({ view, q }): InboxSearch => ({
    ...(isView(view) && view !== "all" && { view }),
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q) }),
  }),
});

const noChat = createRoute({ getParentRoute: () => inbox, path: "/", component: NoChat });
const chat = createRoute({ getParentRoute: () => inbox, path: "$chat", component: ChatScreen });

const contacts = createRoute({
  getParentRoute: () => rootRoute,
  path: "contacts",
  component: lazyRouteComponent(() => import("../contacts/contacts-screen.tsx"), "ContactsScreen"),
});

const soon = (["orders", "campaigns", "reports", "settings"] as const).map((screen) =>
  createRoute({ getParentRoute: () => rootRoute, path: screen, component: () => <Soon screen={screen} /> }),
);

const elsewhere = createRoute({ getParentRoute: () => rootRoute, path: "$", beforeLoad: toInbox });

export const router = createRouter({
  routeTree: rootRoute.addChildren([home, inbox.addChildren([noChat, chat]), contacts, ...soon, elsewhere]),
  basepath: "/console",
  defaultErrorComponent: Failed,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { isInvitationOpen } from "../app/session.ts";
import { Waiting } from "../app/waiting.tsx";
import { lazyScreen } from "../shared/load-part.ts";
import { auditSearch } from "./audit-search.ts";
import { usersSearch } from "./users-search.ts";

/** The invitation page needs no session: its link alone lets the user choose a password. */
export const invitationRoute = <Root extends AnyRoute>(root: Root) =>
  createRoute({
    getParentRoute: () => root,
    path: "invitation/$token",
    // If the check gets no answer, the form is shown: the service checks the link again with the password.
    loader: ({ params: { token }, abortController: { signal } }) => isInvitationOpen(token, signal).catch(() => true),
    // The link is checked only once. If it becomes invalid while the page is open, the form says so.
    staleTime: Number.POSITIVE_INFINITY,
    pendingComponent: Waiting,
    component: lazyScreen(() => import("./invitation-screen.tsx"), "InvitationScreen"),
  });

/**
 * The account screen, and the settings for users, departments and the business. The account screen is not below
 * `settings`, since every role may use it.
 */
export const peopleRoutes = <Root extends AnyRoute>(root: Root) =>
  [
    createRoute({
      getParentRoute: () => root,
      path: "account",
      component: lazyScreen(() => import("./account-screen.tsx"), "AccountScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/users",
      component: lazyScreen(() => import("./users-screen.tsx"), "UsersScreen"),
      validateSearch: usersSearch,
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/departments",
      component: lazyScreen(() => import("./departments-screen.tsx"), "DepartmentsScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/departments/$department",
      component: lazyScreen(() => import("./department-screen.tsx"), "DepartmentScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/business",
      component: lazyScreen(() => import("./business-screen.tsx"), "BusinessScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/flags",
      component: lazyScreen(() => import("./flags-screen.tsx"), "FlagsScreen"),
    }),
    createRoute({
      getParentRoute: () => root,
      path: "settings/audit",
      component: lazyScreen(() => import("./audit-screen.tsx"), "AuditScreen"),
      validateSearch: auditSearch,
    }),
  ] as const;

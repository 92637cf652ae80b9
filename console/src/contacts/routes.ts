import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import type { ContactSearch } from "./contacts.ts";

const idOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

/** Reads the filters from the URL. Invalid filters are ignored. */
function contactSearch({ q, tag, opted_out }: Record<string, unknown>): ContactSearch {
  const search = {
    q: (typeof q === "string" || typeof q === "number") && String(q).trim() ? String(q).slice(0, 100) : undefined,
    tag: idOf(tag),
    opted_out: typeof opted_out === "boolean" ? opted_out : undefined,
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

export const contactsRoutes = <Root extends AnyRoute>(root: Root) => {
  const list = createRoute({
    getParentRoute: () => root,
    path: "contacts",
    component: lazyScreen(() => import("./contacts-screen.tsx"), "ContactsScreen"),
    validateSearch: contactSearch,
  });
  const fresh = createRoute({
    getParentRoute: () => list,
    path: "new",
    component: lazyScreen(() => import("./new-contact.tsx"), "NewContact"),
  });
  const importing = createRoute({
    getParentRoute: () => list,
    path: "import",
    component: lazyScreen(() => import("./import-panel.tsx"), "ImportPanel"),
  });
  const contact = createRoute({
    getParentRoute: () => list,
    path: "$contact",
    component: lazyScreen(() => import("./contact-panel.tsx"), "ContactPanel"),
  });
  return list.addChildren([fresh, importing, contact]);
};

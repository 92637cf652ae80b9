import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lazyScreen } from "../shared/load-part.ts";
import { idParam, said, textParam } from "../shared/search-params.ts";
import type { ContactSearch } from "./contacts.ts";

const contactSearch = ({ q, tag, opted_out }: Record<string, unknown>): ContactSearch =>
  said<ContactSearch>({
    q: textParam(q),
    tag: idParam(tag),
    opted_out: typeof opted_out === "boolean" ? opted_out : undefined,
  });

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

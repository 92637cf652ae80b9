import type { AuthKind } from "../routing/caller.ts";
import { type Route, scopeOf } from "../routing/route.ts";
import type { Json } from "./components.ts";

export const securitySchemes = {
  appKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "An App Key: acts as one business, within its scopes. An operation names the one that it takes.",
  },
  session: { type: "http", scheme: "bearer", description: "A session token: acts as one user of one business." },
  sessionInQuery: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The same session token, as a parameter.",
  },
  appKeyOfReports: { type: "apiKey", in: "header", name: "x-recado-key", description: "The same App Key." },
} as const;

const bySession = [{ session: [] }, { sessionInQuery: [] }] as const;

/** The schemes of each kind of authentication. A caller needs one of them. `scopes` are those that an App Key needs. */
const security: Readonly<Record<AuthKind, (scopes: readonly string[]) => readonly Json[]>> = {
  "key-or-token": (appKey) => [{ appKey }, ...bySession],
  session: () => bySession,
  "key-or-session": (appKey) => [{ appKey }, ...bySession],
  // The token may be in the body, which OpenAPI cannot express. So `{}` allows requests without any other scheme.
  "key-or-body-token": (appKey) => [{ appKey }, { appKeyOfReports: appKey }, ...bySession, {}],
  none: () => [],
};

export function securityOf(route: Route): readonly Json[] {
  const scope = scopeOf(route);
  return security[route.auth](scope === undefined ? [] : [scope]);
}

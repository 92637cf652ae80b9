import type { AuthKind } from "../routing/caller.ts";
import type { Json } from "./components.ts";

/** How callers make themselves known. */
export const securitySchemes = {
  appKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An App Key: acts as one business." },
  session: { type: "http", scheme: "bearer", description: "A session token: acts as one user of one business." },
  sessionInQuery: {
    type: "apiKey",
    in: "query",
    name: "token",
    description: "The same session token, as a parameter.",
  },
  appKeyOfReports: { type: "apiKey", in: "header", name: "x-recado-key", description: "The same App Key." },
} as const;

/** An operation asks for one of the schemes of its list; none where anybody may call. */
export const security: Readonly<Record<AuthKind, readonly Json[]>> = {
  "key-or-token": [{ appKey: [] }, { session: [] }, { sessionInQuery: [] }],
  session: [{ session: [] }, { sessionInQuery: [] }],
  "key-or-session": [{ appKey: [] }, { session: [] }, { sessionInQuery: [] }],
  // A token in the body is a field of it: to this document nobody has to be known then.
  "key-or-body-token": [{ appKey: [] }, { appKeyOfReports: [] }, {}],
  none: [],
};

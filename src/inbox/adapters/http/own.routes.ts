import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { integer, nullableText, objectWith, text } from "../../../infra/http/routing/schema.ts";
import { baseCurrency } from "../../../kernel/currency.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import type { Availability, OwnView } from "../../application/acting/availability.ts";
import { Forbidden } from "../../domain/acting.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { namedToWire } from "../wire/inbox-wire.ts";
import { changing, common, failures, forbidden, meeting, viewerOf } from "./inbox-dialect.ts";
import { namedSchema } from "./inbox-schemas.ts";

/** The requests of users about themselves: `/me` and their own availability. */
export const ownRoutes = (availability: Availability): Route[] => [
  ownRoute(availability),
  availableRoute(availability),
];

const own = objectWith({
  id: integer,
  nombre: text,
  email: { ...nullableText, description: "What the user signs in with" },
  role_id: integer,
  administrador: { type: "boolean" },
  disponible: { type: "boolean" },
  empresa: namedSchema,
  flags: { type: "object" },
  zona_horaria: { ...text, description: "Of the business, as IANA names it", example: "America/La_Paz" },
  moneda: { ...text, description: "Of the business, by ISO 4217", example: "BOB" },
  departamentos: { type: "array", items: namedSchema },
});

const ownToWire = ({ id, name, email, roleId, available, business, flags, departments }: OwnView) => ({
  id,
  nombre: name,
  email,
  role_id: roleId,
  administrador: roleId === administratorRole,
  disponible: available,
  empresa: namedToWire(business),
  flags,
  zona_horaria: timezoneOf(Object(flags).timezone),
  moneda: baseCurrency(Object(flags).currency),
  departamentos: departments.map(namedToWire),
});

const ownAnswers = { 200: { description: "The user", schema: own }, 403: forbidden, ...failures } as const;

const ownRoute = (availability: Pick<Availability, "own">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/me",
    operationId: "getOwn",
    summary: "Read what the business knows of the user who asks",
    rules: [["Inbox.47", "For users; with an App Key 403. `flags` are the business's feature flags."]],
    responses: ownAnswers,
    dialect: meeting("forbidden"),
    handle: async ({ caller }) => ownToWire(await availability.own(caller.businessId, userOf(viewerOf(caller)))),
  });

const availableRoute = (availability: Pick<Availability, "set">): Route =>
  defineRoute({
    ...changing,
    method: "put",
    path: "/me/available",
    operationId: "setAvailable",
    summary: "Say whether one takes what is given out",
    rules: [
      [
        "Inbox.48",
        "Going away leaves an agent's chats and tickets as they are. Coming back gives them what waits for them, the oldest " +
          "first, soon after the answer.",
      ],
      ["Inbox.49", "For users; with an App Key 403. Of agents it is told by `agent:changed`."],
    ],
    body: objectWith({ disponible: { type: "boolean" } }),
    responses: ownAnswers,
    dialect: meeting("forbidden"),
    handle: async ({ body, caller }) =>
      ownToWire(await availability.set(caller.businessId, userOf(viewerOf(caller)), body.disponible)),
  });

function userOf({ userId }: Viewer): number {
  if (userId === null) throw new Forbidden("a key is no user");
  return userId;
}

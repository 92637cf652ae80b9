import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { arrayOf, boolean, integer, nullableText, objectWith, text } from "../../../infra/http/routing/schema.ts";
import { baseCurrency } from "../../../kernel/currency.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import type { Availability, OwnView } from "../../application/acting/availability.ts";
import { Forbidden } from "../../domain/acting.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { namedToWire } from "../wire/inbox-wire.ts";
import { channelLimits, channelLimitsSchema } from "./channel-limits.ts";
import { changing, common, failures, forbidden, meeting, viewerOf } from "./inbox-dialect.ts";
import { namedSchema } from "./inbox-schemas.ts";

/** Requests of users about themselves. */
export const ownRoutes = (availability: Availability): Route[] => [
  ownRoute(availability),
  availableRoute(availability),
];

const own = objectWith({
  id: integer,
  nombre: text,
  email: { ...nullableText, description: "The user's sign-in" },
  role_id: integer,
  administrador: boolean,
  disponible: boolean,
  empresa: namedSchema,
  flags: { type: "object" },
  zona_horaria: { ...text, description: "The business's IANA time zone", example: "America/La_Paz" },
  moneda: { ...text, description: "The business's ISO 4217 currency", example: "BOB" },
  departamentos: arrayOf(namedSchema),
  canales: arrayOf(channelLimitsSchema),
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
  canales: channelLimits,
});

const ownAnswers = { 200: { description: "The user", schema: own }, 403: forbidden, ...failures } as const;

const ownRoute = (availability: Pick<Availability, "own">): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/me",
    operationId: "getOwn",
    summary: "Read the user of the session",
    rules: {
      "Inbox.47": "Only for users: an App Key gets 403. `flags` are the business's feature flags.",
      "Inbox.58":
        "`canales` is what can be sent on each channel: the longest text, the types and sizes of files, templates and " +
        "replies. Files are not checked against it: the platform refuses the others, and the message fails.",
    },
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
    summary: "Set whether the user gets new chats and tickets",
    rules: {
      "Inbox.48":
        "An agent who goes away keeps their chats and tickets. One who comes back gets what waits for them, the oldest " +
        "first, soon after the answer.",
      "Inbox.49": "Only for users: an App Key gets 403. For agents it emits `agent:changed`.",
    },
    body: objectWith({ disponible: boolean }),
    responses: ownAnswers,
    dialect: meeting("forbidden"),
    handle: async ({ body, caller }) =>
      ownToWire(await availability.set(caller.businessId, userOf(viewerOf(caller)), body.disponible)),
  });

function userOf({ userId }: Viewer): number {
  if (userId === null) throw new Forbidden("a key is no user");
  return userId;
}

import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, numericIdOf, objectWith } from "../../../infra/http/routing/schema.ts";
import type { ManageUserAccess } from "../../application/user-access.ts";
import { administrationDialect, answers } from "./administration-dialect.ts";
import { actorOf } from "./records.routes.ts";
import { sessionsAnswer, sessionToWire } from "./user-access.routes.ts";

const common = {
  tag: "Access",
  auth: "session",
  codes: true,
  dialect: administrationDialect()("not_found"),
} as const;
const failures = {
  400: answers.wrong,
  404: { description: "The session has already ended, or is not the user's own", schema: codedFailure },
  500: answers.unexpected,
} as const;

/** Routes with which users of every role see and end their own sessions. */
export const ownSessionRoutes = (access: ManageUserAccess): Route[] => [
  defineRoute({
    ...common,
    method: "get",
    path: "/me/sessions",
    operationId: "listOwnSessions",
    summary: "List one's own open sessions",
    rules: { "Auth.20": "Newest first; a user has 20 at most. `current` is true for the session of the request." },
    responses: { 200: { description: "The sessions", schema: sessionsAnswer }, ...failures },
    handle: async ({ caller: { businessId, userId, token } }) => ({
      data: (await access.sessions(businessId, userId, token)).map(sessionToWire),
    }),
  }),
  defineRoute({
    ...common,
    method: "delete",
    lane: "records",
    path: "/me/sessions",
    operationId: "endOtherSessions",
    summary: "End all of one's own sessions but the one of the request",
    rules: {
      "Auth.21":
        "Their tokens become invalid and their sockets are disconnected at once. The audit records how many there were.",
    },
    responses: { 204: { description: "The user's other sessions have ended" }, ...failures },
    handle: async (call) => {
      await access.endSessions(actorOf(call), call.caller.userId, { exceptOf: call.caller.token });
      return new Reply(204, undefined);
    },
  }),
  defineRoute({
    ...common,
    method: "delete",
    lane: "records",
    path: "/me/sessions/:id",
    operationId: "endOwnSession",
    summary: "End one of one's own sessions",
    rules: {
      "Auth.22":
        "As for all others; it may be the session of the request. 404 if it has already ended, and for a session of another " +
        "user.",
    },
    params: objectWith({ id: numericIdOf("session") }),
    responses: { 204: { description: "The session has ended" }, ...failures },
    handle: async (call) => {
      await access.endSession(actorOf(call), call.caller.userId, call.params.id);
      return new Reply(204, undefined);
    },
  }),
];

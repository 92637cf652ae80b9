import { administration } from "../../../infra/http/routing/administration.ts";
import { coded, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import {
  codedFailure,
  integer,
  nullableText,
  nullableTimestamp,
  numericIdOf,
  objectWith,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import type { Invitation, ManageUserAccess, UserSession } from "../../application/user-access.ts";
import type { LastAdministrator } from "../../domain/records.ts";
import { administrationDialect, answers, failures } from "./administration-dialect.ts";
import { invitationSchema, invitationToWire } from "./invitation-on-wire.ts";
import { actorOf } from "./records.routes.ts";

const user = objectWith({ id: numericIdOf("user") });
const userSession = objectWith({ id: numericIdOf("user"), session: numericIdOf("session") });

const dialectFor = administrationDialect();
const common = { ...administration, dialect: dialectFor("not_found", "rule_broken") } as const;
const resetDialect: typeof common.dialect & Dialect<LastAdministrator> = {
  ...common.dialect,
  last_administrator: () => [
    409,
    coded("last_administrator", "Es el único administrador con contraseña: una invitación le permite elegir otra"),
  ],
};
const ofUser = { 404: answers.notFound, ...failures } as const;

const invitation = {
  description: "The invitation, which no other answer shows",
  schema: objectWith({ invitation: invitationSchema }),
} as const;

const answerOf = (made: Invitation): Reply => new Reply(201, { invitation: invitationToWire(made) });

export const sessionsAnswer = objectWith({
  data: {
    type: "array",
    items: objectWith({
      id: integer,
      created_at: timestamp,
      expires_at: timestamp,
      last_used: { ...nullableTimestamp, description: "To the hour, and never before `created_at`" },
      address: {
        ...nullableText,
        description: "The address it was opened from, for IPv6 its network; null if it is not known",
      },
      current: { type: "boolean", description: "Whether it is the session of the request" },
    }),
  },
});

export const sessionToWire = ({ id, createdAt, expiresAt, lastUsedAt, address, isCurrent }: UserSession) => ({
  id,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt.toISOString(),
  last_used: lastUsedAt?.toISOString() ?? null,
  address,
  current: isCurrent,
});

export const userAccessRoutes = (access: ManageUserAccess): Route[] => [
  defineRoute({
    ...common,
    method: "post",
    lane: "records",
    path: "/admin/users/:id/invite",
    operationId: "inviteUser",
    summary: "Create a new invitation for a user",
    rules: {
      "Admin.Access.1":
        "The new invitation is valid for seven days and replaces the user's earlier one. The present password stays valid " +
        "until it is accepted. Only an active user can accept it.",
    },
    params: user,
    responses: { 201: invitation, ...ofUser },
    handle: async (call) => answerOf(await access.invite(actorOf(call), call.params.id)),
  }),
  defineRoute({
    ...common,
    method: "post",
    lane: "records",
    path: "/admin/users/:id/reset-password",
    operationId: "resetPassword",
    summary: "Remove a user's password, and invite the user to choose a new one",
    rules: {
      "Admin.Access.2":
        "The password becomes invalid and the user's sessions and sockets end at once. The answer is an invitation, as that of " +
        "`.../invite`.",
      "Admin.Access.7":
        "The only active administrator with a password keeps it: 409 `last_administrator`. `.../invite` lets this user choose " +
        "another one.",
    },
    params: user,
    dialect: resetDialect,
    responses: {
      201: invitation,
      409: { description: "The user is the only active administrator with a password", schema: codedFailure },
      ...ofUser,
    },
    handle: async (call) => answerOf(await access.resetPassword(actorOf(call), call.params.id)),
  }),
  defineRoute({
    ...common,
    method: "get",
    path: "/admin/users/:id/sessions",
    operationId: "listUserSessions",
    summary: "List the open sessions of a user",
    rules: { "Admin.Access.3": "Newest first; a user has 20 at most." },
    params: user,
    responses: { 200: { description: "The sessions", schema: sessionsAnswer }, ...ofUser },
    handle: async ({ params, caller }) => {
      const token = "token" in caller ? caller.token : null;
      return { data: (await access.sessions(caller.businessId, params.id, token)).map(sessionToWire) };
    },
  }),
  defineRoute({
    ...common,
    method: "delete",
    lane: "records",
    path: "/admin/users/:id/sessions",
    operationId: "endUserSessions",
    summary: "End all sessions of a user",
    rules: { "Admin.Access.4": "Their tokens become invalid and their sockets are disconnected at once." },
    params: user,
    responses: { 204: { description: "The user's sessions have ended" }, ...ofUser },
    handle: async (call) => {
      await access.endSessions(actorOf(call), call.params.id);
      return new Reply(204, undefined);
    },
  }),
  defineRoute({
    ...common,
    method: "delete",
    lane: "records",
    path: "/admin/users/:id/sessions/:session",
    operationId: "endUserSession",
    summary: "End one session of a user",
    rules: {
      "Admin.Access.5":
        "As for all sessions; the user's other sessions stay open. 404 if the session has already ended.",
    },
    params: userSession,
    responses: { 204: { description: "The session has ended" }, ...ofUser },
    handle: async (call) => {
      await access.endSession(actorOf(call), call.params.id, call.params.session);
      return new Reply(204, undefined);
    },
  }),
];

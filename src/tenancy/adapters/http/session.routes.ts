import { networkOf } from "../../../infra/http/addresses.ts";
import { type Dialect, type InvalidInput, plainDialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import {
  integer,
  named,
  objectWith,
  problem,
  type Schema,
  text,
  timestamp,
} from "../../../infra/http/routing/schema.ts";
import type { OpenedSession, OpenSession, OpenSessionFailure } from "../../application/open-session.ts";
import type { SessionStore } from "../../application/ports.ts";
import type { DeviceCookie } from "./device-cookie.ts";

const credentials = objectWith({
  email: { type: "string", minLength: 1, maxLength: 320, example: "ana@example.com" },
  password: { type: "string", minLength: 1, maxLength: 1024, example: "a long password" },
}) satisfies Schema;

export const opened = named(
  "Session",
  objectWith({ token: text, expires_at: timestamp, empresa_id: integer, usuario_id: integer }),
);

export const sessionToWire = ({ token, expiresAt, businessId, userId }: OpenedSession) => ({
  token,
  expires_at: expiresAt.toISOString(),
  empresa_id: businessId,
  usuario_id: userId,
});

const dialect: Dialect<InvalidInput | OpenSessionFailure> = {
  ...plainDialect,
  invalid_input: (error) => [400, { message: error.message }],
  wrong_credentials: () => [401, { message: "Invalid credentials" }],
};

export const openSessionRoute = (openSession: OpenSession, deviceCookie: DeviceCookie): Route =>
  defineRoute({
    method: "post",
    path: "/auth/session",
    operationId: "openSession",
    tag: "Access",
    summary: "Open a session with e-mail and password",
    rules: [
      ["Auth.6", "The token is opaque, shown once, and expires; it can be revoked before."],
      ["Auth.7", "A wrong e-mail and a wrong password are answered alike, after the same time."],
      [
        "Auth.8",
        "After five failures at an account, from wherever, whoever tries it again must pause: one second, then twice as " +
          "long each time, at most 30 seconds since the last attempt of the same address (of IPv6 its /64). An attempt " +
          "that comes earlier is a 429 and not checked. The first attempt from an address is checked at once, and where " +
          "very many failed, after a few seconds.",
      ],
      [
        "Auth.9",
        "The cookie `recado_device` that comes with a session makes the browser known for the account: it then pauses " +
          "for its own failures only. It opens nothing, is good for a year and for five accounts at once.",
      ],
      [
        "Auth.10",
        "Passwords are checked one at a time, by turns among addresses. Where too many wait the answer is 429 if they are " +
          "of the same address and 503 if they are not. A request whose client is gone waits no longer.",
      ],
      ["Auth.11", "A user has at most 20 sessions: one more ends the oldest."],
    ],
    auth: "none",
    body: credentials,
    responses: {
      200: {
        description: "The session",
        schema: opened,
        headers: { "Set-Cookie": "`recado_device`: what makes the browser known for the account" },
      },
      400: { description: "A field is missing or wrong", schema: problem },
      401: { description: "E-mail and password do not match", schema: problem },
      429: {
        description: "Too early after a failed attempt, or too many at once; with `Retry-After`",
        schema: problem,
      },
      500: { description: "Unexpected failure", schema: problem },
      503: { description: "Too many others are signing in; with `Retry-After`", schema: problem },
    },
    dialect,
    handle: async ({ body, headers, ip, isHttps, signal }) => {
      const { email, password } = body;
      const device = deviceCookie.deviceOf(headers.cookie, email);
      const session = await openSession.withPassword({ email, password, network: networkOf(ip), device }, signal);
      return new Reply(200, sessionToWire(session), {
        "Set-Cookie": deviceCookie.renewed(headers.cookie, email, isHttps),
      });
    },
  });

export const closeSessionRoute = (sessions: Pick<SessionStore, "revoke">): Route =>
  defineRoute({
    method: "delete",
    path: "/auth/session",
    operationId: "closeSession",
    tag: "Access",
    summary: "Revoke the session token that the request carries",
    rules: [["Auth.12", "The token is void for every process at once, and its sockets are disconnected."]],
    auth: "session",
    responses: {
      200: {
        description: "The token is void from now on",
        schema: objectWith({ success: { type: "boolean" } }),
      },
      400: { description: "No token", schema: objectWith({ error: text }) },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ caller }) => ({ success: await sessions.revoke(caller.token) }),
  });

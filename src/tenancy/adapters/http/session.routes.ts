import type { AttemptLimit } from "../../../infra/http/middleware/rate-limit.ts";
import { type Dialect, type InvalidInput, plainDialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { integer, objectWith, problem, type Schema, text, timestamp } from "../../../infra/http/routing/schema.ts";
import type { OpenSession, OpenSessionFailure } from "../../application/open-session.ts";
import type { SessionStore } from "../../application/ports.ts";

const credentials = objectWith({
  email: { type: "string", minLength: 1, maxLength: 320, example: "ana@example.com" },
  password: { type: "string", minLength: 1, maxLength: 1024, example: "a long password" },
}) satisfies Schema;

const opened = objectWith({ token: text, expires_at: timestamp, empresa_id: integer, usuario_id: integer });

const dialect: Dialect<InvalidInput | OpenSessionFailure> = {
  ...plainDialect,
  invalid_input: (error) => [400, { message: error.message }],
  wrong_credentials: () => [401, { message: "Invalid credentials" }],
};

export const openSessionRoute = (openSession: OpenSession, attempts: AttemptLimit): Route =>
  defineRoute({
    method: "post",
    path: "/auth/session",
    operationId: "openSession",
    tag: "Access",
    summary: "Open a session with e-mail and password",
    rules: [
      ["Auth.6", "The token is opaque, shown once, and expires; it can be revoked before."],
      ["Auth.7", "A wrong e-mail and a wrong password are answered alike, after the same time."],
    ],
    auth: "none",
    body: credentials,
    responses: {
      200: { description: "The session", schema: opened },
      400: { description: "A field is missing or wrong", schema: problem },
      401: { description: "E-mail and password do not match", schema: problem },
      429: { description: "Too many failed attempts from this address", schema: problem },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect,
    handle: async ({ body, ip }) => {
      await attempts.check(ip);
      const session = await openSession.withPassword(body.email, body.password).catch(async (failure: unknown) => {
        await attempts.failed(ip);
        throw failure;
      });
      return {
        token: session.token,
        expires_at: session.expiresAt.toISOString(),
        empresa_id: session.businessId,
        usuario_id: session.userId,
      };
    },
  });

export const closeSessionRoute = (sessions: Pick<SessionStore, "revoke">): Route =>
  defineRoute({
    method: "delete",
    path: "/auth/session",
    operationId: "closeSession",
    tag: "Access",
    summary: "Revoke the session token that the request carries",
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

import { networkOf } from "../../../infra/http/addresses.ts";
import { type Dialect, plainDialect } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import {
  boolean,
  integer,
  named,
  objectWith,
  problem,
  type Schema,
  text,
  timestamp,
  withOptional,
} from "../../../infra/http/routing/schema.ts";
import { cookieIn, sessionCookie } from "../../../kernel/cookies.ts";
import type { OpenedSession, OpenSession } from "../../application/open-session.ts";
import type { SessionStore } from "../../application/ports.ts";
import type { WrongCredentials } from "../../domain/access.ts";
import type { DeviceCookie } from "./device-cookie.ts";
import { checkCookieRequest, noSessionInCookie, sessionInCookie } from "./session-cookie.ts";

const signIn = withOptional(
  objectWith({
    email: { type: "string", minLength: 1, maxLength: 320, example: "ana@example.com" },
    password: { type: "string", minLength: 1, maxLength: 1024, example: "a long password" },
  }),
  { cookie: { ...boolean, description: "Sets the token as a cookie and leaves it out of the answer" } },
);

const withoutToken = objectWith({ expires_at: timestamp, empresa_id: integer, usuario_id: integer });
/** The token is missing if a cookie holds it. */
export const opened = named("Session", {
  ...withoutToken,
  properties: { token: text, ...withoutToken.properties },
} as const satisfies Schema);

export const cookieRefusal = { description: "A page of another site asks for a cookie", schema: problem } as const;

/** The answer for a new session, with the token in the body or in a cookie. */
export function sessionReply(
  session: OpenedSession,
  inCookie: boolean,
  isHttps: boolean,
  cookies: readonly string[] = [],
): Reply {
  const { token, expiresAt, businessId, userId } = session;
  const body = {
    ...(!inCookie && { token }),
    expires_at: expiresAt.toISOString(),
    empresa_id: businessId,
    usuario_id: userId,
  };
  const all = inCookie ? [...cookies, sessionInCookie(session, isHttps)] : cookies;
  return new Reply(200, body, {}, undefined, all);
}

const dialect: Dialect<WrongCredentials> = {
  ...plainDialect,
  wrong_credentials: () => [401, { message: "Invalid credentials" }],
};

export const openSessionRoute = (openSession: OpenSession, deviceCookie: DeviceCookie): Route =>
  defineRoute({
    method: "post",
    path: "/auth/session",
    operationId: "openSession",
    tag: "Access",
    summary: "Open a session with e-mail and password",
    rules: {
      "Auth.6": "The token is opaque, shown once, and expires; it can be revoked before.",
      "Auth.7": "A wrong e-mail and a wrong password get the same answer, after the same time.",
      "Auth.8":
        "After five failures for an account, counted over all addresses, each address (for IPv6 its /64) has to pause between " +
        "its own attempts: one second, then twice as long each time, 30 seconds at most. An earlier attempt is a 429 and is " +
        "not checked. The first attempt from an address is checked at once, or after a few seconds if very many attempts of " +
        "its network failed.",
      "Auth.9":
        "The answer sets the cookie `recado_device`, which makes the browser known for the account: it then pauses only for its " +
        "own failures. The cookie gives no access; it is valid for a year and for five accounts at once.",
      "Auth.10":
        "Passwords are checked one at a time, and addresses take turns. If too many attempts are waiting, the answer is 429 if " +
        "they are from the same address, else 503. A request whose client has disconnected stops waiting.",
      "Auth.11": "A user has 20 sessions at most: a further one ends the oldest.",
      "Auth.19":
        "With `cookie: true` the token is set as the cookie `recado_session` (HttpOnly, SameSite=Strict, Secure behind https) and " +
        "is not in the answer, so that scripts of a page cannot read it. Requests and sockets accept the cookie like a token, " +
        "after keys and tokens in other places. A request that changes something, and a socket, then need this service's own " +
        "`Origin`; other requests are refused with 403 if `Origin` or `Sec-Fetch-Site` names another site, and so is a sign-in, " +
        "or an accepted invitation, with `cookie: true` whose `Sec-Fetch-Site` is `cross-site`.",
    },
    auth: "none",
    body: signIn,
    responses: {
      200: {
        description: "The session",
        schema: opened,
        headers: {
          "Set-Cookie":
            "`recado_device`, which makes the browser known for the account, and `recado_session` if asked for",
        },
      },
      400: { description: "A field is missing or wrong", schema: problem },
      401: { description: "E-mail and password do not match", schema: problem },
      403: cookieRefusal,
      429: {
        description: "Too soon after a failed attempt, or too many at once; with `Retry-After`",
        schema: problem,
      },
      500: { description: "Unexpected failure", schema: problem },
      503: { description: "Too many others are signing in; with `Retry-After`", schema: problem },
    },
    dialect,
    handle: async ({ body, headers, ip, isHttps, signal }) => {
      const { email, password } = body;
      checkCookieRequest(body.cookie, headers);
      const device = deviceCookie.deviceOf(headers.cookie, email);
      const session = await openSession.withPassword({ email, password, network: networkOf(ip), device }, signal);
      const known = deviceCookie.renewed(headers.cookie, email, isHttps);
      return sessionReply(session, body.cookie === true, isHttps, [known]);
    },
  });

export const closeSessionRoute = (sessions: Pick<SessionStore, "revoke">): Route =>
  defineRoute({
    method: "delete",
    path: "/auth/session",
    operationId: "closeSession",
    tag: "Access",
    summary: "Revoke the session token that the request carries",
    rules: {
      "Auth.12":
        "The token becomes invalid at once, and its sockets are disconnected. A cookie that held it is removed.",
    },
    auth: "session",
    responses: {
      200: {
        description: "The token is invalid from now on",
        schema: objectWith({ success: boolean }),
        headers: { "Set-Cookie": "Removes `recado_session` if the request has it" },
      },
      400: { description: "No token", schema: objectWith({ error: text }) },
      500: { description: "Unexpected failure", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ caller, headers, isHttps }) => {
      const isInCookie = cookieIn(headers.cookie, sessionCookie) === caller.token;
      const body = { success: await sessions.revoke(caller.token) };
      return new Reply(200, body, {}, undefined, isInCookie ? [noSessionInCookie(isHttps)] : []);
    },
  });

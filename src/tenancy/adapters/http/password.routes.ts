import { networkOf } from "../../../infra/http/addresses.ts";
import type { FailureLimit } from "../../../infra/http/middleware/rate-limit.ts";
import {
  coded,
  codedDialect,
  type Dialect,
  HttpProblem,
  type InvalidInput,
  plainDialect,
} from "../../../infra/http/routing/dialect.ts";
import { defineRoute, Reply, type Route } from "../../../infra/http/routing/route.ts";
import { boolean, codedFailure, objectWith, problem, withOptional } from "../../../infra/http/routing/schema.ts";
import type { AcceptInvitation } from "../../application/accept-invitation.ts";
import type { ChangePassword } from "../../application/change-password.ts";
import { WrongInvitation, type WrongPassword } from "../../domain/access.ts";
import { cookieRefusal, opened, sessionReply } from "./session.routes.ts";
import { checkCookieRequest } from "./session-cookie.ts";

const newPassword = { type: "string", minLength: 10, maxLength: 200, example: "a long password" } as const;

const invitationToken = { type: "string", minLength: 1, maxLength: 200 } as const;
const invitation = withOptional(objectWith({ token: invitationToken, password: newPassword }), {
  cookie: { ...boolean, description: "Sets the session's token as a cookie, as at a sign-in (Auth.19)" },
});

const invitationFailures = {
  400: { description: "A field is missing or wrong", schema: problem },
  401: { description: "The invitation is not valid", schema: problem },
  429: { description: "Not valid, after too many others from this address; with `Retry-After`", schema: problem },
  500: { description: "Unexpected failure", schema: problem },
} as const;

export const acceptInvitationRoute = (accept: Pick<AcceptInvitation, "execute">, failures: FailureLimit): Route =>
  defineRoute({
    method: "post",
    path: "/auth/invitation",
    operationId: "acceptInvitation",
    tag: "Access",
    summary: "Accept an invitation: choose a password and open a session",
    rules: {
      "Auth.13":
        "An invitation can be used once within seven days. An unknown, expired, used or replaced invitation, and one of a user " +
        "who is not active, all get the same answer.",
      "Auth.14":
        "A password has 10 to 200 characters. The user's earlier sessions end. The audit records the acceptance.",
      "Auth.15": "Refused invitations are counted by address: after too many of them the answer is 429 instead of 401.",
    },
    auth: "none",
    body: invitation,
    responses: {
      200: { description: "The session", schema: opened },
      ...invitationFailures,
      403: cookieRefusal,
      503: { description: "Too many others are signing in; with `Retry-After`", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ body, headers, ip, isHttps }) => {
      checkCookieRequest(body.cookie, headers);
      const from = { network: networkOf(ip), address: ip };
      const session = await accept.execute(body.token, body.password, from).catch(refusedBy(failures, ip));
      return sessionReply(session, body.cookie === true, isHttps);
    },
  });

const refusedBy =
  (failures: FailureLimit, ip: string) =>
  (error: unknown): Promise<never> => {
    if (error instanceof WrongInvitation) return failures.refuse(ip, new HttpProblem(401, "Invalid invitation"));
    throw error;
  };

/** @param failures - counts refused tokens, together with those that `acceptInvitationRoute` refuses */
export const checkInvitationRoute = (accept: Pick<AcceptInvitation, "check">, failures: FailureLimit): Route =>
  defineRoute({
    method: "post",
    path: "/auth/invitation/check",
    operationId: "checkInvitation",
    tag: "Access",
    summary: "Ask whether an invitation can still be accepted",
    rules: {
      "Auth.23":
        "Uses nothing up and says nothing about the user. An invitation that cannot be accepted gets the answer of Auth.13, " +
        "and counts as in Auth.15.",
    },
    auth: "none",
    body: objectWith({ token: invitationToken }),
    responses: {
      200: {
        description: "It can be accepted until then",
        schema: objectWith({ expires_at: { type: "string", format: "date-time" } }),
      },
      ...invitationFailures,
      503: { description: "Too many others are being looked up; with `Retry-After`", schema: problem },
    },
    dialect: plainDialect,
    handle: async ({ body: { token }, ip }) => {
      const ends = await accept.check(token, networkOf(ip)).catch(refusedBy(failures, ip));
      return { expires_at: ends.toISOString() };
    },
  });

const passwordDialect: Dialect<InvalidInput | WrongPassword> = {
  ...codedDialect,
  wrong_password: () => [403, coded("wrong_password", "La contraseña actual no es correcta")],
};

export const changePasswordRoute = (change: Pick<ChangePassword, "execute">): Route =>
  defineRoute({
    method: "put",
    path: "/me/password",
    operationId: "changePassword",
    tag: "Access",
    summary: "Change one's own password",
    rules: {
      "Auth.16":
        "Ends the user's other sessions and cancels an open invitation; the session of the request stays. The audit records the change.",
      "Auth.17":
        "A wrong `actual` is a 403 `wrong_password`. After five wrong ones the user has to pause before each further attempt, as " +
        "at a sign-in (Auth.8): 429.",
      "Auth.18":
        "A session token is required: without one, and with an App Key, the answer is 401 with the code `unauthorized`.",
    },
    auth: "session",
    codes: true,
    body: objectWith({ actual: { type: "string", minLength: 1, maxLength: 1024 }, nueva: newPassword }),
    responses: {
      204: { description: "The password is changed" },
      400: { description: "A field is missing or wrong", schema: codedFailure },
      403: { description: "The current password is wrong", schema: codedFailure },
      429: { description: "Too soon after a wrong password; with `Retry-After`", schema: codedFailure },
      500: { description: "Unexpected failure", schema: codedFailure },
      503: { description: "Too many others are signing in; with `Retry-After`", schema: codedFailure },
    },
    dialect: passwordDialect,
    handle: async ({ body: { actual, nueva }, caller: { businessId, userId, token }, ip, signal }) => {
      const wanted = { businessId, userId, token, current: actual, next: nueva };
      await change.execute({ ...wanted, network: networkOf(ip), address: ip }, signal);
      return new Reply(204, undefined);
    },
  });

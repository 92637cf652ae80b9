import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { HttpProblem } from "../../../infra/http/routing/dialect.ts";
import { cookieIn, sessionCookie } from "../../../kernel/cookies.ts";
import { isOriginOf } from "../../../kernel/origins.ts";
import type { OpenedSession } from "../../application/open-session.ts";

const attributes = (isHttps: boolean): string => `Path=/; HttpOnly; SameSite=Strict${isHttps ? "; Secure" : ""}`;

/** The header `Set-Cookie` that keeps the session's token from the scripts of the page. */
export function sessionInCookie({ token, expiresAt }: OpenedSession, isHttps: boolean): string {
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000));
  return `${sessionCookie}=${token}; Max-Age=${seconds}; ${attributes(isHttps)}`;
}

/** The header `Set-Cookie` that removes the session's token from the browser. */
export const noSessionInCookie = (isHttps: boolean): string => `${sessionCookie}=; Max-Age=0; ${attributes(isHttps)}`;

/**
 * The token in a request's cookie; undefined if there is none. Throws if a foreign page may have caused the request:
 * `Origin` names another host or, without `Origin`, the request changes something or comes from another site.
 */
export function tokenInCookie(
  request: Pick<IncomingMessage, "headers" | "method">,
  host: string | undefined,
): string | undefined {
  const { cookie, origin, "sec-fetch-site": site } = request.headers;
  const token = cookieIn(cookie, sessionCookie);
  if (token === "") return undefined;
  const changes = request.method !== "GET" && request.method !== "HEAD";
  const isForeign = origin === undefined ? changes || site === "cross-site" : !isOriginOf(origin, host ?? "");
  if (isForeign) throw foreignPage();
  return token;
}

/** Throws if a page of another site asks for the cookie. */
export function checkCookieRequest(cookie: boolean | undefined, headers: IncomingHttpHeaders): void {
  if (cookie === true && headers["sec-fetch-site"] === "cross-site") throw foreignPage();
}

const foreignPage = (): HttpProblem => {
  const error = "La solicitud viene de otro sitio";
  return new HttpProblem(403, "The request comes from another site", {}, undefined, { error, code: "foreign_origin" });
};

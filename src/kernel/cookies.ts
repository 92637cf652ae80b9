/** The cookie with the session token. It is HttpOnly. */
export const sessionCookie = "recado_session";

/** The value of a cookie in a `Cookie` header; empty if it is missing. */
export function cookieIn(header: string | undefined, name: string): string {
  for (const pair of header?.split(";") ?? []) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return "";
}

/** Holds a session token that scripts of a page cannot read. */
export const sessionCookie = "recado_session";

/** The value of a cookie in the header `Cookie`; empty where there is none. */
export function cookieIn(header: string | undefined, name: string): string {
  for (const pair of header?.split(";") ?? []) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return "";
}

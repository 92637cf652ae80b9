import { randomBytes } from "node:crypto";
import { sameText } from "../../../infra/http/same-text.ts";
import { cookieIn } from "../../../kernel/cookies.ts";

const name = "recado_device";
/** How many accounts one browser can be known for: several people may share a till. */
const mostAccounts = 5;
/** In seconds: a year. */
const lifetime = 365 * 24 * 3600;

/**
 * A cookie that marks a browser as known for an account after a sign-in (OWASP's device cookie). A known browser has
 * its own count of failed sign-ins, which strangers who try the same account cannot raise. Each mark is
 * `id.since.signature` for one account. The cookie gives no access.
 */
export class DeviceCookie {
  constructor(private readonly sign: (text: string) => string) {}

  /** The device's id, if the request's cookies have a mark for this account. */
  deviceOf(cookies: string | undefined, email: string): string | null {
    return (
      this.marksIn(cookies)
        .find((mark) => this.isOf(email, mark))
        ?.split(".")[0] ?? null
    );
  }

  /** The header `Set-Cookie` after a sign-in. Keeps the marks of other accounts, `mostAccounts` marks at most. */
  renewed(cookies: string | undefined, email: string, isHttps: boolean): string {
    const id = this.deviceOf(cookies, email) ?? randomBytes(16).toString("base64url");
    const since = secondsNow().toString(36);
    const others = this.marksIn(cookies).filter((mark) => !this.isOf(email, mark));
    const marks = [`${id}.${since}.${this.signature(email, id, since)}`, ...others].slice(0, mostAccounts);
    const attributes = `Max-Age=${lifetime}; Path=/auth/session; HttpOnly; SameSite=Strict${isHttps ? "; Secure" : ""}`;
    return `${name}=${marks.join("~")}; ${attributes}`;
  }

  private isOf(email: string, mark: string): boolean {
    const [id = "", since = "", signature = ""] = mark.split(".");
    const age = secondsNow() - Number.parseInt(since, 36);
    return sameText(signature, this.signature(email, id, since)) && age < lifetime;
  }

  private marksIn(cookies: string | undefined): string[] {
    const marks = cookieIn(cookies, name).split("~", mostAccounts);
    return marks.filter((mark) => /^[\w-]{22}\.[0-9a-z]{1,9}\.[\w-]{43}$/.test(mark));
  }

  private signature(email: string, id: string, since: string): string {
    return this.sign(`${id}.${since}.${email.toLowerCase()}`);
  }
}

const secondsNow = (): number => Math.floor(Date.now() / 1_000);

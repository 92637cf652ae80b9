import { randomBytes } from "node:crypto";
import { sameText } from "../../../infra/http/same-text.ts";

const name = "recado_device";
/** Accounts that one browser may be known for: a till has several people. */
const mostAccounts = 5;
/** Seconds: a year. */
const lifetime = 365 * 24 * 3600;

/**
 * A browser that has signed in shows it by a cookie, so that it has sign-in attempts of its own and need not share them
 * with strangers who try the same account (OWASP calls it a device cookie). Each mark in it is `id.since.signature`, bound
 * to one account. It opens nothing.
 */
export class DeviceCookie {
  constructor(
    private readonly sign: (text: string) => string,
    private readonly now: () => number = Date.now,
  ) {}

  /** The device's id, where the cookies of a request hold a mark of this account. */
  deviceOf(cookies: string | undefined, email: string): string | null {
    return (
      this.marksIn(cookies)
        .find((mark) => this.isOf(email, mark))
        ?.split(".")[0] ?? null
    );
  }

  /** The header `Set-Cookie` after the account was signed in to; marks of other accounts stay. */
  renewed(cookies: string | undefined, email: string, isHttps: boolean): string {
    const id = this.deviceOf(cookies, email) ?? randomBytes(16).toString("base64url");
    const since = this.seconds().toString(36);
    const others = this.marksIn(cookies).filter((mark) => !this.isOf(email, mark));
    const marks = [`${id}.${since}.${this.signature(email, id, since)}`, ...others].slice(0, mostAccounts);
    const attributes = `Max-Age=${lifetime}; Path=/auth/session; HttpOnly; SameSite=Strict${isHttps ? "; Secure" : ""}`;
    return `${name}=${marks.join("~")}; ${attributes}`;
  }

  private isOf(email: string, mark: string): boolean {
    const [id = "", since = "", signature = ""] = mark.split(".");
    const age = this.seconds() - Number.parseInt(since, 36);
    return sameText(signature, this.signature(email, id, since)) && age < lifetime;
  }

  private marksIn(cookies = ""): string[] {
    const [, value = ""] = new RegExp(`(?:^|;)\\s*${name}=([^;]*)`).exec(cookies) ?? [];
    return value.split("~", mostAccounts).filter((mark) => /^[\w-]{22}\.[0-9a-z]{1,9}\.[\w-]{43}$/.test(mark));
  }

  private signature(email: string, id: string, since: string): string {
    return this.sign(`${id}.${since}.${email.toLowerCase()}`);
  }

  private seconds(): number {
    return Math.floor(this.now() / 1_000);
  }
}

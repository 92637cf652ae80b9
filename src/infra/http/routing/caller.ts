import type { Middleware } from "koa";

export interface BusinessCaller {
  readonly businessId: number;
}

/** Who calls: the business that the App Key belongs to. */
export interface KeyCaller extends BusinessCaller {
  readonly keyId: number;
}

/** Who calls: the user whose session token came along. */
export interface UserCaller extends BusinessCaller {
  readonly userId: number;
  readonly roleId: number;
  /** The token itself, for the user who ends the session. */
  readonly token: string;
}

/** How a route learns who calls. */
export interface Callers {
  "app-key": KeyCaller;
  session: UserCaller;
  /** An App Key where there is one, else a session token. */
  "key-or-session": KeyCaller | UserCaller;
  /** An App Key in either of two headers, else a session token in the body. */
  "key-or-body-token": KeyCaller | UserCaller;
  none: undefined;
}
export type AuthKind = keyof Callers;

/** Puts the caller into `ctx.state.caller`, or throws and goes no further. */
export type Authenticators = Readonly<Record<Exclude<AuthKind, "none">, Middleware>>;

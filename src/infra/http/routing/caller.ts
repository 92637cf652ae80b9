import type { Middleware } from "koa";
import type { DoneBy } from "../../../kernel/audit.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { Scope } from "../../../kernel/scopes.ts";

export interface BusinessCaller {
  readonly businessId: number;
}

/** Who calls: the business that the App Key belongs to. */
export interface KeyCaller extends BusinessCaller {
  readonly keyId: number;
  readonly scopes: readonly Scope[];
}

/** Who calls: the user whose session token came along. */
export interface UserCaller extends BusinessCaller {
  readonly userId: number;
  readonly roleId: number;
  /** The token itself, for the user who ends the session. */
  readonly token: string;
}

/** Whether the caller may do all that the business may: an App Key, or an administrator. */
export const isAdministrator = (caller: KeyCaller | UserCaller): boolean =>
  !("userId" in caller) || caller.roleId === administratorRole;

/** The user to whose own things the caller is held; null where everything of the business is open to it. */
export const heldTo = (caller: KeyCaller | UserCaller): number | null =>
  "userId" in caller && !isAdministrator(caller) ? caller.userId : null;

/** The user who calls; null for an App Key. */
export const userIn = (caller: KeyCaller | UserCaller): number | null => ("userId" in caller ? caller.userId : null);

/** The caller as the audit knows it. */
export const doneBy = (caller: KeyCaller | UserCaller, address: string): DoneBy =>
  "userId" in caller ? { kind: "user", id: caller.userId, address } : { kind: "key", id: caller.keyId, address };

/** How a route learns who calls. */
export interface Callers {
  /** The same; who shows neither is refused in the words of a wrong App Key. */
  "key-or-token": KeyCaller | UserCaller;
  session: UserCaller;
  /** An App Key where there is one, else a session token. */
  "key-or-session": KeyCaller | UserCaller;
  /** An App Key in either of two headers, else a session token, which may be in the body too. */
  "key-or-body-token": KeyCaller | UserCaller;
  none: undefined;
}
export type AuthKind = keyof Callers;

/** Puts the caller into `ctx.state.caller`, or throws and goes no further. */
export type Authenticators = Readonly<Record<Exclude<AuthKind, "none">, Middleware>>;

import type { Middleware } from "koa";
import type { DoneBy } from "../../../kernel/audit.ts";
import { administratorRole } from "../../../kernel/ids.ts";
import type { Scope } from "../../../kernel/scopes.ts";

export interface BusinessCaller {
  readonly businessId: number;
}

export interface KeyCaller extends BusinessCaller {
  readonly keyId: number;
  readonly scopes: readonly Scope[];
}

export interface UserCaller extends BusinessCaller {
  readonly userId: number;
  readonly roleId: number;
  readonly token: string;
}

/** An App Key counts as an administrator. Only its scopes limit it. */
export const isAdministrator = (caller: KeyCaller | UserCaller): boolean =>
  !("userId" in caller) || caller.roleId === administratorRole;

/** The user to whose data the caller is limited; null for administrators and App Keys. */
export const heldTo = (caller: KeyCaller | UserCaller): number | null =>
  "userId" in caller && !isAdministrator(caller) ? caller.userId : null;

/** Null for an App Key. */
export const userIn = (caller: KeyCaller | UserCaller): number | null => ("userId" in caller ? caller.userId : null);

export const doneBy = (caller: KeyCaller | UserCaller, address: string): DoneBy =>
  "userId" in caller ? { kind: "user", id: caller.userId, address } : { kind: "key", id: caller.keyId, address };

/** The ways a route can authenticate its caller. */
export interface Callers {
  /** An App Key or a session token. Without either, the answer is the one for a wrong App Key. */
  "key-or-token": KeyCaller | UserCaller;
  session: UserCaller;
  /** As `key-or-token`, with `{ error, code }` as the refusal. */
  "key-or-session": KeyCaller | UserCaller;
  /** An App Key in either of two headers, or a session token, which may also be in the body. */
  "key-or-body-token": KeyCaller | UserCaller;
  none: undefined;
}
export type AuthKind = keyof Callers;

/** Sets `ctx.state.caller`, or throws. */
export type Authenticators = Readonly<Record<Exclude<AuthKind, "none">, Middleware>>;

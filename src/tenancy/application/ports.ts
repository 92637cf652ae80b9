import type { NoteInAudit } from "../../kernel/audit.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { KeyAccess, SessionUser } from "../domain/access.ts";

export interface AppKeys {
  /**
   * What `key` opens; `null` when it was never made or is revoked.
   *
   * @param network - whence it is shown; networks share the looks at what is stored
   */
  accessOf(key: string, network: string): Promise<KeyAccess | null>;
}

/** A key as the audit tells of it. */
export interface StoredKey {
  readonly id: number;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

export interface AppKeyStore {
  /** Stores a new key; null when there is no such business. */
  add(businessId: number, key: string, label: string): Promise<StoredKey | null>;
  /** Revokes every key of the business that carries the label. */
  revoke(businessId: number, label: string): Promise<readonly StoredKey[]>;
  /** Revokes one key of the business; null when it is not in force. */
  revokeKey(businessId: number, key: string): Promise<StoredKey | null>;
}

export interface KeyOwners {
  /** The business whose key it is; null when no such key is in force. */
  ownerOf(key: string): Promise<number | null>;
}

/** What operators do about App Keys, in one transaction with the audit of it. */
export type KeyUnitOfWork = Pick<UnitOfWork<{ readonly keys: AppKeyStore; readonly note: NoteInAudit }>, "run">;

export interface Sessions {
  /**
   * Whom `token` stands for; `null` when unknown, expired or revoked, or its user is not active.
   *
   * @param network - whence it is shown; networks share the looks at what is stored
   */
  userOf(token: string, network: string): Promise<SessionUser | null>;
}

export interface NewSession {
  readonly businessId: number;
  readonly userId: number;
  readonly token: string;
  readonly hours: number;
  /** Whence it is opened, of IPv6 the network; null where an operator opens it. */
  readonly address: string | null;
}

export interface SessionStore {
  /**
   * Stores a session that lives for `hours`, and ends the user's oldest where there are too many; its end, or `null` when
   * there is no such active user.
   */
  open(session: NewSession): Promise<Date | null>;
  /** `false` when there was nothing to revoke. */
  revoke(token: string): Promise<boolean>;
  /** Forgets sessions that ended more than a day ago; how many. */
  purge(): Promise<number>;
}

export interface StoredCredentials {
  readonly businessId: number;
  readonly userId: number;
  /** Null until the user chose a password. */
  readonly passwordHash: string | null;
}

export interface InvitationStore {
  /**
   * The business whose invitation it is; null where it is not open.
   *
   * @param network - whence it is shown; networks share the looks at what is stored
   */
  businessOf(token: string, network: string): Promise<number | null>;
}

export interface AcceptedInvitation {
  readonly userId: number;
  readonly expiresAt: Date;
}

export interface AcceptedInvitations {
  /** Once: stores the password and ends the user's sessions. Null where the invitation is not open any more. */
  accept(token: string, passwordHash: string): Promise<AcceptedInvitation | null>;
}

export type InvitationUnitOfWork = Pick<
  UnitOfWork<{ readonly invitations: AcceptedInvitations; readonly note: NoteInAudit }>,
  "run"
>;

export type NotingUnitOfWork = Pick<UnitOfWork<{ readonly note: NoteInAudit }>, "run">;

export interface ChangedPassword {
  readonly businessId: number;
  readonly userId: number;
  readonly passwordHash: string;
  /** The hash that it takes the place of. */
  readonly before: string | null;
  /** Of the session that stays. */
  readonly token: string;
}

export interface PasswordStore {
  /** The hash; null where the user has none. */
  passwordOf(businessId: number, userId: number): Promise<string | null>;
  /** Ends the user's other sessions; false where the password is not `before` any more. */
  change(password: ChangedPassword): Promise<boolean>;
}

export type PasswordUnitOfWork = Pick<
  UnitOfWork<{ readonly passwords: Pick<PasswordStore, "change">; readonly note: NoteInAudit }>,
  "run"
>;

export interface UserDirectory {
  /** Active users only; e-mails compare without regard to case. */
  credentialsOf(email: string): Promise<StoredCredentials | null>;
  /** The businesses that have an active user of this id: one, unless ids were chosen by hand; ten at most. */
  businessesWith(userId: number): Promise<number[]>;
}

export interface NewBusiness {
  readonly businessId: number;
  readonly name: string;
  /** Of its first administrator. */
  readonly email: string;
  readonly passwordHash: string;
  readonly roleId: number;
}

export interface BusinessStore {
  /** The id of its first administrator. Rejects with `EmailTaken`. */
  found(business: NewBusiness): Promise<number>;
}

export interface BusinessNumbers {
  /** An id that no business has. */
  next(): Promise<number>;
}

export type FoundingUnitOfWork = Pick<
  UnitOfWork<{ readonly businesses: BusinessStore; readonly note: NoteInAudit }>,
  "run"
>;

export interface PasswordCheck {
  /**
   * Takes much of a core, so that there are lines. Rejects with `Busy` where one is full, and once `signal` is aborted
   * unless the work had begun.
   *
   * @param owner - `share`: who waits together takes turns with others as if they were one. Known ones have a line of
   *   their own
   */
  matches(
    password: string,
    storedHash: string | null,
    owner: { readonly share: string; readonly isKnown: boolean },
    signal?: AbortSignal,
  ): Promise<boolean>;
}

export interface SignInSource {
  readonly email: string;
  /** An address, of IPv6 its network. */
  readonly network: string;
  /** A device that signed in with this e-mail before; null where it is not known as one. */
  readonly device: string | null;
}

export interface SignInAttempts {
  /**
   * Counts an attempt, before its password is looked at. Rejects with `Busy` while it has to pause.
   *
   * @returns takes the attempt back, for one that succeeded or that tried no password in the end
   */
  begin(source: SignInSource, signal?: AbortSignal): Promise<() => void>;
}

/** Makes a new key or token: unguessable, and recognisable by its prefix. */
export type NewToken = (prefix: string) => string;

import type { NoteInAudit } from "../../kernel/audit.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { KeyAccess, SessionUser } from "../domain/access.ts";

export interface AppKeys {
  /**
   * What `key` gives access to; null if it is unknown, expired or revoked.
   *
   * @param network - where the request comes from; networks take turns to ask the store
   */
  accessOf(key: string, network: string): Promise<KeyAccess | null>;
}

/** The fields of a stored key that the audit needs. */
export interface StoredKey {
  readonly id: number;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

export interface AppKeyStore {
  /** Stores a new key; null if there is no such business. */
  add(businessId: number, key: string, label: string): Promise<StoredKey | null>;
  /** Revokes every key of the business that carries the label. */
  revoke(businessId: number, label: string): Promise<readonly StoredKey[]>;
  /** Revokes one key of the business. Returns an empty list if the key is unknown or already revoked. */
  revokeKey(businessId: number, key: string): Promise<readonly StoredKey[]>;
}

export interface KeyOwners {
  /** The business that the key belongs to; null if the key is unknown or revoked. */
  ownerOf(key: string): Promise<number | null>;
}

/** Makes changes and notes them in the audit, in one transaction. */
export type NotingUnitOfWork<Stores = object> = UnitOfWork<Stores & { readonly note: NoteInAudit }>;

/** Operators' changes of App Keys. */
export type KeyUnitOfWork = NotingUnitOfWork<{ readonly keys: AppKeyStore }>;

export interface Sessions {
  /**
   * The user of `token`; null if it is unknown, expired or revoked, or its user is not active.
   *
   * @param network - where the request comes from; networks take turns to ask the store
   */
  userOf(token: string, network: string): Promise<SessionUser | null>;
}

export interface NewSession {
  readonly businessId: number;
  readonly userId: number;
  readonly token: string;
  readonly hours: number;
  /** The client's IPv4 address or IPv6 network; null if an operator opens the session. */
  readonly address: string | null;
}

export interface SessionStore {
  /**
   * Opens a session. If the user then has too many, the oldest one ends. Returns when the new session expires, or null
   * if there is no such active user.
   */
  open(session: NewSession): Promise<Date | null>;
  /** False if there was nothing to revoke. */
  revoke(token: string): Promise<boolean>;
  /** Deletes sessions that expired more than a day ago. Returns how many. */
  purge(signal?: AbortSignal): Promise<number>;
}

export interface StoredCredentials {
  readonly businessId: number;
  readonly userId: number;
  /** Null until the user chose a password. */
  readonly passwordHash: string | null;
}

export interface OpenInvitation {
  readonly businessId: number;
  readonly expiresAt: Date;
}

export interface InvitationStore {
  /**
   * The invitation, as long as it can be accepted; null if it cannot.
   *
   * @param network - where the request comes from; networks take turns to ask the store
   */
  open(token: string, network: string): Promise<OpenInvitation | null>;
}

export interface AcceptedInvitation {
  readonly userId: number;
  readonly expiresAt: Date;
}

export interface AcceptedInvitations {
  /** Stores the password, uses up the invitation and ends the user's sessions. Null if the token is no longer valid. */
  accept(token: string, passwordHash: string): Promise<AcceptedInvitation | null>;
}

export type InvitationUnitOfWork = NotingUnitOfWork<{ readonly invitations: AcceptedInvitations }>;

export interface ChangedPassword {
  readonly businessId: number;
  readonly userId: number;
  readonly passwordHash: string;
  /** The hash that `passwordHash` replaces. */
  readonly before: string | null;
  /** The token of the session that stays open. */
  readonly token: string;
}

export interface PasswordStore {
  /** The hash of the user's password; null if the user has none. */
  passwordOf(businessId: number, userId: number): Promise<string | null>;
  /** Changes the password and ends the user's other sessions. False if the stored hash is no longer `before`. */
  change(password: ChangedPassword): Promise<boolean>;
}

export type PasswordUnitOfWork = NotingUnitOfWork<{ readonly passwords: Pick<PasswordStore, "change"> }>;

export interface UserDirectory {
  /** Finds only active users. The case of `email` does not matter. */
  credentialsOf(email: string): Promise<StoredCredentials | null>;
  /** Businesses with an active user of this id, up to ten per cell. There are several only if ids were set by hand. */
  businessesWith(userId: number): Promise<number[]>;
}

export interface NewBusiness {
  readonly businessId: number;
  readonly name: string;
  /** The e-mail of its first administrator. */
  readonly email: string;
  readonly passwordHash: string;
}

export interface BusinessStore {
  /** Stores the business and returns the id of its first administrator. Rejects with `EmailTaken`. */
  create(business: NewBusiness): Promise<number>;
}

export interface BusinessNumbers {
  /** A new id. */
  next(): Promise<number>;
}

export type BusinessUnitOfWork = NotingUnitOfWork<{ readonly businesses: BusinessStore }>;

/** Hashing needs much CPU time, so calls wait in queues. Rejects with `Busy` if a queue is full or too slow. */
export interface PasswordHashing {
  /** @param share - calls with the same `share` wait in one line; the lines take turns */
  hash(password: string, share?: string): Promise<string>;
  /**
   * Whether the password has this hash. Rejects also when `signal` is aborted before the work began.
   *
   * @param owner - calls with equal `share` and `isKnown` wait in one line
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
  /** The client's IPv4 address or IPv6 network. */
  readonly network: string;
  /** The known device that signed in with this e-mail before; null if there is none. */
  readonly device: string | null;
}

export interface SignInAttempts {
  /**
   * Counts an attempt before its password is checked. Rejects with `Busy` during a pause or if too many attempts wait.
   *
   * @returns a function that undoes the count, for an attempt that succeeded or checked no password
   */
  begin(source: SignInSource, signal?: AbortSignal): Promise<() => void>;
}

/** Makes a new key or token: unguessable, and recognizable by its prefix. */
export type NewToken = (prefix: string) => string;

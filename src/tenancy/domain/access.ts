import { domainError } from "../../kernel/errors.ts";
import type { Scope } from "../../kernel/scopes.ts";

export interface KeyAccess {
  readonly keyId: number;
  readonly businessId: number;
  readonly hasAdministrator: boolean;
  readonly scopes: readonly Scope[];
  /** When the key expires; null for never. */
  readonly expiresAt: Date | null;
}

export interface SessionUser {
  readonly businessId: number;
  readonly userId: number;
  readonly roleId: number;
  readonly expiresAt: Date;
}

export class WrongCredentials extends domainError("wrong_credentials") {}

export class WrongInvitation extends domainError("wrong_invitation") {}

export class WrongPassword extends domainError("wrong_password") {}

export class EmailTaken extends domainError("email_taken") {}

export class NoSuchBusiness extends domainError("no_such_business") {}

export class AmbiguousUser extends domainError("ambiguous_user") {}

export class NoSuchUser extends domainError("no_such_user") {}

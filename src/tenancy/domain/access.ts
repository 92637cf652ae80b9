import { DomainError } from "../../kernel/errors.ts";
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

export class WrongCredentials extends DomainError<"wrong_credentials"> {
  readonly code = "wrong_credentials";
}

export class WrongInvitation extends DomainError<"wrong_invitation"> {
  readonly code = "wrong_invitation";
}

export class WrongPassword extends DomainError<"wrong_password"> {
  readonly code = "wrong_password";
}

export class EmailTaken extends DomainError<"email_taken"> {
  readonly code = "email_taken";
}

export class NoSuchBusiness extends DomainError<"no_such_business"> {
  readonly code = "no_such_business";
}

export class AmbiguousUser extends DomainError<"ambiguous_user"> {
  readonly code = "ambiguous_user";
}

export class NoSuchUser extends DomainError<"no_such_user"> {
  readonly code = "no_such_user";
}

import { domainError } from "../../kernel/errors.ts";

/** The change would leave the business without an active administrator, and only an administrator can make another. */
export class LastAdministrator extends domainError("last_administrator") {}

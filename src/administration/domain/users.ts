import { DomainError } from "../../kernel/errors.ts";

/** Without an administrator there would be nobody to make another. */
export class LastAdministrator extends DomainError<"last_administrator"> {
  readonly code = "last_administrator";
}

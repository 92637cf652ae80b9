import { DomainError } from "../../kernel/errors.ts";

export class ReportNotShared extends DomainError<"report_not_shared"> {
  readonly code = "report_not_shared";
}

export type PeriodProblem = "no_start" | "no_end" | "reversed";

export class BadPeriod extends DomainError<"bad_period"> {
  readonly code = "bad_period";
  constructor(readonly problem: PeriodProblem) {
    super(`the period cannot be reported: ${problem}`);
  }
}

/** The answer would have more than `limit`. */
export class ReportTooLarge extends DomainError<"report_too_large"> {
  readonly code = "report_too_large";
  constructor(
    readonly what: "businesses" | "records",
    readonly limit: number,
  ) {
    super(`a report of more than ${limit} ${what}`);
  }
}

export class ReportForAdministrators extends DomainError<"report_for_administrators"> {
  readonly code = "report_for_administrators";
}

export type ReportFailure = ReportNotShared | ReportForAdministrators | BadPeriod | ReportTooLarge;

export class UnknownChat extends DomainError<"unknown_chat"> {
  readonly code = "unknown_chat";
}
export class UnknownAgent extends DomainError<"unknown_agent"> {
  readonly code = "unknown_agent";
}
export class UnknownRegistration extends DomainError<"unknown_registration"> {
  readonly code = "unknown_registration";
}

/** There is no rate from this currency to the business's own on that day. */
export class NoRate extends DomainError<"no_rate"> {
  readonly code = "no_rate";
  constructor(readonly currency: string) {
    super(`no rate for ${currency}`);
  }
}

export class BadDate extends DomainError<"bad_date"> {
  readonly code = "bad_date";
}

/** The amount is too large in the base currency. */
export class AmountTooLarge extends DomainError<"amount_too_large"> {
  readonly code = "amount_too_large";
}

export type RegistrationFailure = UnknownChat | UnknownAgent | UnknownRegistration | NoRate | BadDate | AmountTooLarge;

import { domainError } from "../../kernel/errors.ts";

export class ReportNotShared extends domainError("report_not_shared") {}

export type PeriodProblem = "no_start" | "no_end" | "reversed";

export class BadPeriod extends domainError("bad_period") {
  constructor(readonly problem: PeriodProblem) {
    super(`the period cannot be reported: ${problem}`);
  }
}

/** The report would have more than `limit` businesses or ad records. */
export class ReportTooLarge extends domainError("report_too_large") {
  constructor(
    readonly what: "businesses" | "records",
    readonly limit: number,
  ) {
    super(`a report of more than ${limit} ${what}`);
  }
}

export class ReportForAdministrators extends domainError("report_for_administrators") {}

export type ReportFailure = ReportNotShared | ReportForAdministrators | BadPeriod | ReportTooLarge;

export class UnknownChat extends domainError("unknown_chat") {}
export class UnknownAgent extends domainError("unknown_agent") {}
export class UnknownRegistration extends domainError("unknown_registration") {}
/** The caller may see the chat of the sale or quotation, but the record belongs to another agent. */
export class ForeignRegistration extends domainError("foreign_registration") {}

/** The business has no rate for this currency on the day of the record. */
export class NoRate extends domainError("no_rate") {
  constructor(readonly currency: string) {
    super(`no rate for ${currency}`);
  }
}

export class BadDate extends domainError("bad_date") {}

/** The amount is too large in the base currency. */
export class AmountTooLarge extends domainError("amount_too_large") {}

export type RegistrationFailure =
  | UnknownChat
  | UnknownAgent
  | UnknownRegistration
  | ForeignRegistration
  | NoRate
  | BadDate
  | AmountTooLarge;

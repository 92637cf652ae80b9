import { domainError } from "../../kernel/errors.ts";

/** The business has no access to the ad platform. */
export class MissingToken extends domainError("missing_token") {}

/** `start` or `end` is missing or not a date, or `start` is after `end`. */
export class WrongPeriod extends domainError("wrong_period") {
  constructor(
    readonly bound: "start" | "end",
    readonly problem: "no-date" | "after-end",
  ) {
    super(`${bound}: ${problem}`);
  }
}

/** A cursor that the platform did not give. */
export class WrongCursor extends domainError("wrong_cursor") {}

/** The platform shows no such object to this business: it does not exist, or belongs to someone else. */
export class NotShown extends domainError("not_shown") {}

/** The platform cannot be reached, or its answer is unusable. The error's message never quotes the answer. */
export class AdPlatformUnavailable extends domainError("ad_platform_unavailable") {}

export class TokenRefused extends AdPlatformUnavailable {}

/** The platform accepts no requests for a while. */
export class AdPlatformBusy extends domainError("ad_platform_busy") {
  constructor(readonly retryAfterSeconds: number) {
    super(`the ad platform accepts no requests for ${retryAfterSeconds} s`);
  }
}

import { DomainError } from "../../kernel/errors.ts";

/** The business has no access to the ad platform. */
export class MissingToken extends DomainError<"missing_token"> {
  readonly code = "missing_token";
}

/** A bound of a period is no date, or its end comes before its beginning. */
export class WrongPeriod extends DomainError<"wrong_period"> {
  readonly code = "wrong_period";

  constructor(
    readonly bound: "start" | "end",
    readonly problem: "no-date" | "after-end",
  ) {
    super(`${bound}: ${problem}`);
  }
}

/** Not a cursor that the platform gave. */
export class WrongCursor extends DomainError<"wrong_cursor"> {
  readonly code = "wrong_cursor";
}

/** The platform shows no such object to this business: it is not there, or it is somebody else's. */
export class NotShown extends DomainError<"not_shown"> {
  readonly code = "not_shown";
}

/** The platform cannot be asked now, or answered what cannot be understood. Messages hold no answer's text. */
export class AdPlatformUnavailable extends DomainError<"ad_platform_unavailable"> {
  readonly code = "ad_platform_unavailable";
}

/** The platform does not take the token. */
export class TokenRefused extends AdPlatformUnavailable {}

/** The platform wants to be left alone for a while. */
export class AdPlatformBusy extends DomainError<"ad_platform_busy"> {
  readonly code = "ad_platform_busy";

  constructor(readonly retryAfterSeconds: number) {
    super(`the ad platform wants to be left alone for ${retryAfterSeconds} s`);
  }
}

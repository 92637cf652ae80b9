import { DomainError } from "../../kernel/errors.ts";

/** No such order, business, template, recipient or address: nothing was sent or changed. */
export class PaymentLinkImpossible extends DomainError<"payment_link_impossible"> {
  readonly code = "payment_link_impossible";
}

/** The platform refused it, or was not reached: it was not sent. */
export class PaymentLinkNotSent extends DomainError<"payment_link_not_sent"> {
  readonly code = "payment_link_not_sent";
}

/** It may or may not have been sent; where the channel tells, its delivery status settles it. */
export class PaymentLinkUncertain extends DomainError<"payment_link_uncertain"> {
  readonly code = "payment_link_uncertain";
}

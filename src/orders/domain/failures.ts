import { DomainError } from "../../kernel/errors.ts";

export class OrderNotFound extends DomainError<"order_not_found"> {
  readonly code = "order_not_found";
}

export class ArticleNotFound extends DomainError<"article_not_found"> {
  readonly code = "article_not_found";
}

export class BranchNotFound extends DomainError<"branch_not_found"> {
  readonly code = "branch_not_found";
}

export class ZoneNotFound extends DomainError<"zone_not_found"> {
  readonly code = "zone_not_found";
}

export class ChatNotFound extends DomainError<"chat_not_found"> {
  readonly code = "chat_not_found";
}

export class DriverNotFound extends DomainError<"driver_not_found"> {
  readonly code = "driver_not_found";
}

export class LineNotFound extends DomainError<"line_not_found"> {
  readonly code = "line_not_found";
}

/** The change would raise the total above what a number holds exactly in cents. */
export class OrderTooDear extends DomainError<"order_too_dear"> {
  readonly code = "order_too_dear";
}

/** The order has another version than the change expected. Nothing was changed. */
export class OrderMovedOn extends DomainError<"order_moved_on"> {
  readonly code = "order_moved_on";
}

/** No step leads from the order's state to the wanted one. */
export class WrongTransition extends DomainError<"wrong_transition"> {
  readonly code = "wrong_transition";
}

/** The step exists, but this caller may not make it. */
export class TransitionForbidden extends DomainError<"forbidden"> {
  readonly code = "forbidden";
}

/** A business without a plan has no order listing. */
export class PlanMissing extends DomainError<"plan_missing"> {
  readonly code = "plan_missing";
}

export class WrongPeriod extends DomainError<"wrong_period"> {
  readonly code = "wrong_period";

  constructor(
    readonly bound: "from" | "to",
    /** Not a date or time, or a lower bound after the upper one. */
    readonly reason: "unreadable" | "reversed",
  ) {
    super(`${bound} is ${reason}`);
  }
}

/** No such order, business, template, recipient or address: nothing was sent or changed. */
export class PaymentLinkImpossible extends DomainError<"payment_link_impossible"> {
  readonly code = "payment_link_impossible";
}

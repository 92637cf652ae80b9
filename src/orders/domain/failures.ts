import { domainError } from "../../kernel/errors.ts";

export class OrderNotFound extends domainError("order_not_found") {}
export class ArticleNotFound extends domainError("article_not_found") {}
export class BranchNotFound extends domainError("branch_not_found") {}
export class ZoneNotFound extends domainError("zone_not_found") {}
export class ChatNotFound extends domainError("chat_not_found") {}
export class DriverNotFound extends domainError("driver_not_found") {}
export class LineNotFound extends domainError("line_not_found") {}

/** With the change, the order's sums would be too large to be exact as numbers. */
export class OrderTooDear extends domainError("order_too_dear") {}

/** The order has another version than the change expected. Nothing was changed. */
export class OrderMovedOn extends domainError("order_moved_on") {}

/** No step leads from the order's state to the wanted one. */
export class WrongTransition extends domainError("wrong_transition") {}

/** The step exists, but this caller may not make it. */
export class TransitionForbidden extends domainError("forbidden") {}

/** A business without a plan has no order listing. */
export class PlanMissing extends domainError("plan_missing") {}

export class WrongPeriod extends domainError("wrong_period") {
  constructor(
    readonly bound: "from" | "to",
    /** `unreadable`: the bound is not a date or time. `reversed`: `from` is after `to`. */
    readonly reason: "unreadable" | "reversed",
  ) {
    super(`${bound} is ${reason}`);
  }
}

/** The order or its recipient does not exist, or `payments-url` cannot be used. Nothing was sent or changed. */
export class PaymentLinkImpossible extends domainError("payment_link_impossible") {}

import { DomainError } from "../../kernel/errors.ts";

export class OrderNotFound extends DomainError<"order_not_found"> {
  readonly code = "order_not_found";
}

export class ForeignBusiness extends DomainError<"foreign_business"> {
  readonly code = "foreign_business";
}

/** A business without a plan has no order listing. */
export class PlanMissing extends DomainError<"plan_missing"> {
  readonly code = "plan_missing";
}

export class WrongPeriod extends DomainError<"wrong_period"> {
  readonly code = "wrong_period";

  constructor(
    readonly bound: "from" | "to",
    /** No such date or time, or a lower bound after the upper one. */
    readonly reason: "unreadable" | "reversed",
  ) {
    super(`${bound} is ${reason}`);
  }
}

/** The tabs of the listing, each with the status that stands for it: 3 shows where 2 does. */
export const tabs = { pending: 8, progress: 1, "on-the-way": 2, completed: 4, cancelled: 5 } as const;
export type Tab = keyof typeof tabs;
export const tabNames = Object.keys(tabs) as readonly Tab[];

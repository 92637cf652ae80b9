import { DomainError } from "../../kernel/errors.ts";

/** There is no such step, or it opens no tickets. */
export class StepNotFound extends DomainError<"step_not_found"> {
  readonly code = "step_not_found";
}

export class StepOfAnotherBusiness extends DomainError<"step_of_another_business"> {
  readonly code = "step_of_another_business";
}

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

export class LineNotFound extends DomainError<"line_not_found"> {
  readonly code = "line_not_found";
}

/** The order is not at the version that the change was made for; nothing was changed. */
export class OrderMovedOn extends DomainError<"order_moved_on"> {
  readonly code = "order_moved_on";
}

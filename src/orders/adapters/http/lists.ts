import { limitField, limitOf } from "../../../infra/http/routing/cursors.ts";
import { type Dialect, type InvalidInput, plainDialect } from "../../../infra/http/routing/dialect.ts";
import type { PageRequest } from "../../application/reads/ports.ts";
import type { OrderNotFound, WrongPeriod } from "../../domain/failures.ts";

/** The parameters of a list. `usual` is the default size of its pages. */
export const paging = (usual: number) =>
  ({
    page: { type: "integer", minimum: 1, maximum: 1_000_000_000, default: 1 },
    limit: limitField(usual),
  }) as const;

export const pageOf = ({ page, limit }: PageRequest, signal?: AbortSignal): PageRequest => ({
  page,
  limit: limitOf(limit),
  signal,
});

export const hasNextPage = ({ page, limit }: PageRequest, total: number): boolean => page * limit < total;

/** Says what is wrong with a period, with the endpoint's names for its bounds. */
export function periodMessage({ bound, reason }: Pick<WrongPeriod, "bound" | "reason">, from: string, to: string) {
  if (reason === "reversed") return `${from} no puede ser posterior a ${to}`;
  return `${bound === "to" ? to : from} debe ser una fecha ISO 8601`;
}

const readDialect: Dialect<InvalidInput | OrderNotFound> = {
  ...plainDialect,
  invalid_input: (error) => [400, { message: error.message }],
  order_not_found: () => [404, { message: "Order not found" }],
};

/** The common parts of routes that read the history of an order or find the order of a message. */
export const readingOrder = { method: "get", tag: "Orders", auth: "key-or-session", dialect: readDialect } as const;

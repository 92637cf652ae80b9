import { limitField, limitOf } from "../../../infra/http/routing/cursors.ts";
import type { PageRequest } from "../../application/reads/ports.ts";
import type { WrongPeriod } from "../../domain/failures.ts";

/** What lists of orders have in common. */

/** The parameters of a list that has `usual` items on a page. */
export const paging = (usual: number) =>
  ({
    page: { type: "integer", minimum: 1, maximum: 1_000_000_000, default: 1 },
    limit: limitField(usual),
  }) as const;

export const pageOf = ({ page, limit }: PageRequest): PageRequest => ({ page, limit: limitOf(limit) });

export const hasNextPage = ({ page, limit }: PageRequest, total: number): boolean => page * limit < total;

/** What is wrong with a period, by the names that the endpoint gives its bounds. */
export function wordsOfPeriod({ bound, reason }: Pick<WrongPeriod, "bound" | "reason">, from: string, to: string) {
  if (reason === "reversed") return `${from} no puede ser posterior a ${to}`;
  return `${bound === "to" ? to : from} debe ser una fecha ISO 8601`;
}

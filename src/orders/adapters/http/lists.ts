import { limitField, limitOf } from "../../../infra/http/routing/cursors.ts";
import type { PageRequest } from "../../application/reads/ports.ts";
import type { WrongPeriod } from "../../domain/failures.ts";

/** The parameters of a list. `usual` is the default size of its pages. */
export const paging = (usual: number) =>
  ({
    page: { type: "integer", minimum: 1, maximum: 1_000_000_000, default: 1 },
    limit: limitField(usual),
  }) as const;

export const pageOf = ({ page, limit }: PageRequest): PageRequest => ({ page, limit: limitOf(limit) });

export const hasNextPage = ({ page, limit }: PageRequest, total: number): boolean => page * limit < total;

/** Says what is wrong with a period, with the endpoint's names for its bounds. */
export function periodMessage({ bound, reason }: Pick<WrongPeriod, "bound" | "reason">, from: string, to: string) {
  if (reason === "reversed") return `${from} no puede ser posterior a ${to}`;
  return `${bound === "to" ? to : from} debe ser una fecha ISO 8601`;
}

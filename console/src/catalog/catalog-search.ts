import { idParam, said, textParam } from "../shared/search-params.ts";

export interface CatalogSearch {
  readonly q?: string;
  /** The record whose panel is open. */
  readonly record?: number | "new";
}

export const catalogSearch = ({ q, record }: Record<string, unknown>): CatalogSearch =>
  said<CatalogSearch>({ q: textParam(q), record: record === "new" ? record : idParam(record) });

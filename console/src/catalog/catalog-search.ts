export interface CatalogSearch {
  readonly q?: string;
  /** Whose panel is open. */
  readonly record?: number | "new";
}

/** Anything else in an address is ignored. */
export function catalogSearch({ q, record }: Record<string, unknown>): CatalogSearch {
  const id = record === "new" ? record : Number(record);
  return {
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q).slice(0, 100) }),
    ...((id === "new" || (Number.isSafeInteger(id) && id > 0)) && { record: id }),
  };
}

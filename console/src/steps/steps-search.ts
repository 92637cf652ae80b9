export interface StepsSearch {
  readonly q?: string;
  /** Whose panel is open. */
  readonly step?: number | "new";
  /** The step that a new one comes after. */
  readonly under?: number;
  /** The picture is shown without the tree. */
  readonly picture?: true;
}

const isId = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/** Anything else in an address is ignored. */
export function stepsSearch({ q, step, under, picture }: Record<string, unknown>): StepsSearch {
  const id = step === "new" ? step : Number(step);
  return {
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q).slice(0, 100) }),
    ...((id === "new" || isId(id)) && { step: id }),
    ...(id === "new" && isId(Number(under)) && { under: Number(under) }),
    ...((picture === true || picture === "true") && { picture: true }),
  };
}

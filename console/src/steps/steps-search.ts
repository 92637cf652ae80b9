import { idParam, said, textParam } from "../shared/search-params.ts";

export interface StepsSearch {
  readonly q?: string;
  /** The step whose panel is open. */
  readonly step?: number | "new";
  /** The parent of a new step. */
  readonly under?: number;
  /** Shows the diagram without the tree. */
  readonly picture?: true;
}

export const stepsSearch = ({ q, step, under, picture }: Record<string, unknown>): StepsSearch =>
  said<StepsSearch>({
    q: textParam(q),
    step: step === "new" ? step : idParam(step),
    under: step === "new" ? idParam(under) : undefined,
    picture: picture === true || picture === "true" ? true : undefined,
  });

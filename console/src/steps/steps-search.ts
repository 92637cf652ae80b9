import { idParam, said, textParam } from "../shared/search-params.ts";

export interface StepsSearch {
  readonly q?: string;
  /** Whose panel is open. */
  readonly step?: number | "new";
  /** The step that a new one comes after. */
  readonly under?: number;
  /** The picture is shown without the tree. */
  readonly picture?: true;
}

export const stepsSearch = ({ q, step, under, picture }: Record<string, unknown>): StepsSearch =>
  said<StepsSearch>({
    q: textParam(q),
    step: step === "new" ? step : idParam(step),
    under: step === "new" ? idParam(under) : undefined,
    picture: picture === true || picture === "true" ? true : undefined,
  });

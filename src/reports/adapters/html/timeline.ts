import type { DayFigures } from "../../domain/report.ts";
import { type Grain, grainOf, inGrain } from "../../domain/timeline.ts";
import { shortDay, shortMonth } from "./format.ts";

/** Figures from left to right, as many as can be told apart. */
export interface Timeline {
  /** What one of them covers. */
  readonly unit: string;
  readonly labels: readonly string[];
  readonly figures: readonly DayFigures[];
}

const written: Readonly<Record<Grain, { readonly unit: string; readonly labelOf: (day: string) => string }>> = {
  day: { unit: "día", labelOf: shortDay },
  week: { unit: "semana", labelOf: shortDay },
  month: { unit: "mes", labelOf: shortMonth },
};

export function timelineOf(days: readonly DayFigures[]): Timeline {
  const grain = grainOf(days.length);
  const figures = inGrain(days, grain);
  const { unit, labelOf } = written[grain];
  return { unit, labels: figures.map(({ day }) => labelOf(day)), figures };
}

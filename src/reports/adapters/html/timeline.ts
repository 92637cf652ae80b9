import type { DayFigures } from "../../domain/report.ts";
import { type Grain, grainOf, inGrain } from "../../domain/timeline.ts";
import { shortDay, shortMonth } from "./format.ts";

const written: Readonly<Record<Grain, { readonly unit: string; readonly labelOf: (day: string) => string }>> = {
  day: { unit: "día", labelOf: shortDay },
  week: { unit: "semana", labelOf: shortDay },
  month: { unit: "mes", labelOf: shortMonth },
};

export function timelineOf(days: readonly DayFigures[]) {
  const grain = grainOf(days.length);
  const figures = inGrain(days, grain);
  const { unit, labelOf } = written[grain];
  return { unit, labels: figures.map(({ day }) => labelOf(day)), figures };
}

import type { DayFigures, Tally } from "../../domain/report.ts";
import { shortDay, shortMonth } from "./format.ts";

/** Figures from left to right, as many as can be told apart. */
export interface Timeline {
  /** What one of them covers: "día", "semana", "mes". */
  readonly unit: string;
  readonly labels: readonly string[];
  readonly figures: readonly DayFigures[];
}

const mostDays = 120;
const mostDaysInWeeks = 730;

/** Days as they are or, where they are many, weeks from Monday on or months; each by its first day. */
export function timelineOf(days: readonly DayFigures[]): Timeline {
  if (days.length <= mostDays) return timeline("día", days, shortDay);
  if (days.length <= mostDaysInWeeks) return timeline("semana", addedUp(days, mondayOf), shortDay);
  return timeline(
    "mes",
    addedUp(days, (day) => `${day.slice(0, 7)}-01`),
    shortMonth,
  );
}

const timeline = (unit: string, figures: readonly DayFigures[], labelOf: (day: string) => string): Timeline => ({
  unit,
  labels: figures.map(({ day }) => labelOf(day)),
  figures,
});

const dayMs = 86_400_000;

function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - sinceMonday * dayMs).toISOString().slice(0, 10);
}

/** The figures of all days that go together, in the order of time. */
export function addedUp(days: readonly DayFigures[], keyOf = (day: string): string => day): DayFigures[] {
  const sums = new Map<string, DayFigures>();
  for (const each of days) {
    const key = keyOf(each.day);
    const sum = sums.get(key);
    sums.set(key, {
      day: key,
      conversations: (sum?.conversations ?? 0) + each.conversations,
      sales: sum ? plus(sum.sales, each.sales) : each.sales,
      quotations: sum ? plus(sum.quotations, each.quotations) : each.quotations,
    });
  }
  return [...sums.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

const plus = (a: Tally, b: Tally): Tally => ({ count: a.count + b.count, amount: a.amount + b.amount });

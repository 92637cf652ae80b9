import { dayMs } from "../../kernel/instants.ts";
import { dayAt, firstMoment } from "./period.ts";
import type { DayFigures, Tally } from "./report.ts";

/** The time that one point of a timeline covers. */
export type Grain = "day" | "week" | "month";

const mostDays = 120;
const mostDaysInWeeks = 730;

/** Short periods are shown by days, longer ones by weeks (from Monday), and the longest by months. */
export function grainOf(days: number): Grain {
  if (days <= mostDays) return "day";
  return days <= mostDaysInWeeks ? "week" : "month";
}

/** The figures of each day, week or month, dated by its first day, in the order of time. */
export const inGrain = (days: readonly DayFigures[], grain: Grain): DayFigures[] => addedUp(days, firstDayOf[grain]);

const firstDayOf: Readonly<Record<Grain, (day: string) => string>> = {
  day: (day) => day,
  week: mondayOf,
  month: (day) => `${day.slice(0, 7)}-01`,
};

function mondayOf(day: string): string {
  const at = firstMoment(day);
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return dayAt(at - sinceMonday * dayMs);
}

/** Adds up the figures of all days that have the same key. The sums are sorted by key. */
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

const none: Tally = { count: 0, amount: 0n };

/** Adds the missing days between the first and the last, with all figures 0. `days` must be in the order of time. */
export function withoutGaps(days: readonly DayFigures[]): DayFigures[] {
  const known = new Map(days.map((each) => [each.day, each]));
  const first = days[0]?.day ?? "";
  const last = days.at(-1)?.day ?? "";
  const whole: DayFigures[] = [];
  for (let day = first; day < last; day = dayAfter(day)) {
    whole.push(known.get(day) ?? { day, conversations: 0, sales: none, quotations: none });
  }
  return [...whole, ...days.slice(-1)];
}

const dayAfter = (day: string): string => dayAt(firstMoment(day) + dayMs);

export const plus = (a: Tally, b: Tally): Tally => ({ count: a.count + b.count, amount: a.amount + b.amount });

import { dayOf, instantOf } from "../../kernel/instants.ts";
import type { DatePreset, SpendDays } from "./ads.ts";
import { WrongPeriod } from "./failures.ts";

/** The time from `from` until just before `until`. A null bound is open. */
export interface Period {
  readonly from: Date | null;
  readonly until: Date | null;
}

/**
 * Reads a period from two texts in ISO 8601, which are both included. A text without a zone is in `zone`; an end
 * without a time means the end of that day. Throws `WrongPeriod`.
 */
export function periodOf(start: string | null, end: string | null, zone: string): Period {
  const from = start === null ? null : instantOf(start, zone);
  if (start !== null && from === null) throw new WrongPeriod("start", "no-date");
  const last = end === null ? null : instantOf(end, zone, true);
  if (end !== null && last === null) throw new WrongPeriod("end", "no-date");
  if (from && last && from > last) throw new WrongPeriod("start", "after-end");
  // Moments have milliseconds here and microseconds in the database: the whole last millisecond is included.
  return { from, until: last && new Date(last.getTime() + 1) };
}

/**
 * The preset or, for `period`, the days that the period covers on the calendar of `zone`. Throws `WrongPeriod` if a
 * bound of such a period is open.
 */
export function spendDaysOf(
  { preset }: { readonly preset: DatePreset | "period" },
  { from, until }: Period,
  zone: string,
): SpendDays {
  if (preset !== "period") return preset;
  if (!from) throw new WrongPeriod("start", "no-date");
  if (!until) throw new WrongPeriod("end", "no-date");
  return { since: dayOf(from, zone), until: dayOf(new Date(until.getTime() - 1), zone) };
}

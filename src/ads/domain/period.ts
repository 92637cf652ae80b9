import { dayOf, instantOf } from "../../kernel/instants.ts";
import type { DatePreset, Days, SpendDays } from "./ads.ts";
import { WrongPeriod } from "./failures.ts";

/** The time from `from` until just before `until`. A null bound is open. */
export interface Period {
  readonly from: Date | null;
  readonly until: Date | null;
}

export interface AskedPeriod {
  /** The days over which spend is summed. `period` means the days from `start` to `end`. */
  readonly preset: DatePreset | "period";
  readonly start: string | null;
  readonly end: string | null;
}

/** The period in which this service counts results, and the days over which spend is summed. Throws `WrongPeriod`. */
export function periodsIn(zone: string, asked: AskedPeriod): { readonly period: Period; readonly spentOn: SpendDays } {
  const period = periodOf(asked, zone);
  return { period, spentOn: asked.preset === "period" ? daysOf(period, zone) : asked.preset };
}

/**
 * `start` and `end` are texts in ISO 8601, and both are included. A text without a zone is in `zone`; an end without a
 * time means the end of that day.
 */
function periodOf({ start, end }: AskedPeriod, zone: string): Period {
  const from = start === null ? null : instantOf(start, zone);
  if (start !== null && from === null) throw new WrongPeriod("start", "no-date");
  const last = end === null ? null : instantOf(end, zone, true);
  if (end !== null && last === null) throw new WrongPeriod("end", "no-date");
  if (from && last && from > last) throw new WrongPeriod("start", "after-end");
  // Times in the database have microseconds. The added millisecond includes, for example, 23:59:59.999500.
  return { from, until: last && new Date(last.getTime() + 1) };
}

/** The days that the period covers on the calendar of `zone`. Throws `WrongPeriod` if a bound is open. */
function daysOf({ from, until }: Period, zone: string): Days {
  if (!from) throw new WrongPeriod("start", "no-date");
  if (!until) throw new WrongPeriod("end", "no-date");
  return { since: dayOf(from, zone), until: dayOf(new Date(until.getTime() - 1), zone) };
}

import { dayOf, instantOf } from "../../kernel/instants.ts";
import type { DatePreset, SpendDays } from "./ads.ts";
import { WrongPeriod } from "./failures.ts";

/** From `from` on, until before `until`; open where null. */
export interface Period {
  readonly from: Date | null;
  readonly until: Date | null;
}

/**
 * ISO 8601, both ends included; without a zone in `zone`, and a date without a time as the end means the end of that
 * day. Throws `WrongPeriod`.
 */
export function periodOf(start: string | null, end: string | null, zone: string): Period {
  const from = start === null ? null : instantOf(start, zone);
  if (start !== null && from === null) throw new WrongPeriod("start", "no-date");
  const last = end === null ? null : instantOf(end, zone, true);
  if (end !== null && last === null) throw new WrongPeriod("end", "no-date");
  if (from && last && from > last) throw new WrongPeriod("start", "after-end");
  // Moments are read to the millisecond and kept to the microsecond: the last millisecond belongs to it whole.
  return { from, until: last && new Date(last.getTime() + 1) };
}

/**
 * The days of a preset, or those in which the period lies by the calendar of `zone`. Throws `WrongPeriod` where spend is to
 * be that of a period which has no beginning or end.
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

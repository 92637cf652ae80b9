import { dayMs, instantOf, namesZone } from "../../kernel/instants.ts";
import { BadPeriod } from "./failures.ts";
import type { Period } from "./report.ts";

/** `from` equals `until` if a clock change leaves no time between the dates. Throws `BadPeriod` on wrong dates. */
export function periodIn(timezone: string, startDate: string, endDate: string): Period {
  // Times without a zone are compared as written: in the zone, a clock change could make the period seem reversed.
  const isWithoutZone = !namesZone(startDate) && !namesZone(endDate);
  const written = readIn(isWithoutZone ? "UTC" : timezone, startDate, endDate);
  if (written.until <= written.from) throw new BadPeriod("reversed");
  const { from, until } = readIn(timezone, startDate, endDate);
  return { from, until: until < from ? from : until };
}

/** The first and the last day, both included, as `2026-03-01`. */
export interface Days {
  readonly startDate: string;
  readonly endDate: string;
}

/** In UTC, as `2026-03-01`. */
export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const firstMoment = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Throws `BadPeriod`. */
export function countDays({ startDate, endDate }: Days): number {
  const { from, until } = periodIn("UTC", startDate, endDate);
  return Math.round((until.getTime() - from.getTime()) / dayMs);
}

/** The equally long period right before `days`; null if it begins before the year 1000. Throws `BadPeriod`. */
export function daysBefore(days: Days): Days | null {
  const first = firstMoment(days.startDate);
  const before = first - countDays(days) * dayMs;
  return before < firstMoment("1000-01-01") ? null : { startDate: dayAt(before), endDate: dayAt(first - dayMs) };
}

function readIn(zone: string, startDate: string, endDate: string): Period {
  const from = instantOf(startDate, zone);
  if (!from) throw new BadPeriod("no_start");
  const last = instantOf(endDate, zone, true);
  if (!last) throw new BadPeriod("no_end");
  return { from, until: new Date(last.getTime() + 1) };
}

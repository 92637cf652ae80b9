import { instantOf } from "../../kernel/instants.ts";
import { BadPeriod } from "./failures.ts";
import type { Period } from "./report.ts";

const defaultTimezone = "America/La_Paz";
/** Five years, and a leap day or two. */
const longestMs = 5 * 366 * 24 * 60 * 60 * 1000;

/** The zone that a business names, or the default where it names none or none that exists. */
export function timezoneOf(named: unknown): string {
  // An offset is read with another sign by the database.
  if (typeof named !== "string" || !/^[A-Za-z]/.test(named)) return defaultTimezone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: named }).resolvedOptions().timeZone;
  } catch {
    return defaultTimezone;
  }
}

/** The period in a zone, to the end of the last day or millisecond. Throws `BadPeriod`. */
export function periodIn(timezone: string, startDate: string, endDate: string): Period {
  const from = instantOf(startDate, timezone);
  if (!from) throw new BadPeriod("no_start");
  const last = instantOf(endDate, timezone, true);
  if (!last) throw new BadPeriod("no_end");
  const until = new Date(last.getTime() + 1);
  if (until <= from) throw new BadPeriod("reversed");
  if (until.getTime() - from.getTime() > longestMs) throw new BadPeriod("too_long");
  return { from, until };
}

/** The day of a moment in a zone, `2026-03-01`. */
export function dayOf(at: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(at);
  const { year, month, day } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${String(year).padStart(4, "0")}-${month}-${day}`;
}

import { instantOf } from "../../kernel/instants.ts";
import { BadPeriod } from "./failures.ts";
import type { Period } from "./report.ts";

/** Five years, and a leap day or two. */
const longestMs = 5 * 366 * 24 * 60 * 60 * 1000;

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

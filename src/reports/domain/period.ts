import { instantOf, namesZone } from "../../kernel/instants.ts";
import { BadPeriod } from "./failures.ts";
import type { Period } from "./report.ts";

/**
 * The period in a zone, to the end of the last day or millisecond. One that clocks there skip is without any time: then
 * both ends are the same moment. Throws `BadPeriod`.
 */
export function periodIn(timezone: string, startDate: string, endDate: string): Period {
  // As it is written: clocks that skip a day, or an hour, put its end on its beginning, or before.
  const isWithoutZone = !namesZone(startDate) && !namesZone(endDate);
  const written = readIn(isWithoutZone ? "UTC" : timezone, startDate, endDate);
  if (written.until <= written.from) throw new BadPeriod("reversed");
  const { from, until } = readIn(timezone, startDate, endDate);
  return { from, until: until < from ? from : until };
}

function readIn(zone: string, startDate: string, endDate: string): Period {
  const from = instantOf(startDate, zone);
  if (!from) throw new BadPeriod("no_start");
  const last = instantOf(endDate, zone, true);
  if (!last) throw new BadPeriod("no_end");
  return { from, until: new Date(last.getTime() + 1) };
}

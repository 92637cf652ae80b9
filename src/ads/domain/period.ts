import { instantOf } from "../../kernel/instants.ts";
import { WrongPeriod } from "./failures.ts";

/** From and to, both included; open where null. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** ISO 8601; without a zone in `zone`, and a date without a time as the end means the end of that day. */
export function periodOf(start: string | null, end: string | null, zone: string): Period {
  const from = start === null ? null : instantOf(start, zone);
  if (start !== null && from === null) throw new WrongPeriod("start", "no-date");
  const to = end === null ? null : instantOf(end, zone, true);
  if (end !== null && to === null) throw new WrongPeriod("end", "no-date");
  if (from && to && from > to) throw new WrongPeriod("start", "after-end");
  return { from, to };
}

/** The day that calendars in the zone show at a moment, as `2026-11-21`. */
export const dayOf = (at: Date, zone: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);

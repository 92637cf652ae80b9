const isoText =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-](?:0\d|1[0-3])(?::?[0-5]\d)?|[+-]14(?::?00)?)?)?$/i;

/** Whether an ISO 8601 text says by itself which zone it is in. */
export const namesZone = (text: string): boolean => isoText.exec(text.trim())?.[8] !== undefined;

export const dayMs = 24 * 60 * 60 * 1000;
/** Whoever reads the year of others in four digits, as databases and clients do, reads it wrongly or not at all. */
const earliest = Date.parse("0001-01-01T00:00:00.000Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");
const inYearsOfFourDigits = (at: number): Date => new Date(Math.min(latest, Math.max(earliest, at)));

/** As `Date.UTC`, which takes the years 0 to 99 for 1900 to 1999. The calendar repeats itself after 400 years. */
const utcOf = (year: number, ...rest: [month: number, ...rest: number[]]): number =>
  Date.UTC(year + 400, ...rest) - 146_097 * dayMs;

/**
 * The moment that an ISO 8601 text means; a text without a zone is in `zone` (an IANA name), and one without a time
 * means the beginning of that day there, or its end with `endOfDay`. Null where there is no such date or time. The last
 * moment of the year 9999 in UTC stands for all after it, and the first of the year 1 for all before it.
 */
export function instantOf(text: string, zone: string, endOfDay = false): Date | null {
  const match = isoText.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour, minute = "0", second = "0", fraction = "0", offset] = match;
  const isDay = hour === undefined;
  const isMidnightAfter = hour === "24" && Number(minute) + Number(second) + Number(fraction) === 0;
  const fields = [year, month, day, isMidnightAfter ? 0 : (hour ?? 0), minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const written = utcOf(fields[0], fields[1] - 1, fields[2], fields[3], fields[4], fields[5], milliseconds);
  if (fields[0] === 0 || !isReal(new Date(written), fields)) return null;
  const local = isMidnightAfter ? written + dayMs : written;
  if (offset !== undefined) return inYearsOfFourDigits(local - offsetMs(offset));
  const meant = isDay && endOfDay ? local + dayMs : local;
  const at = inZone(meant, zone);
  return inYearsOfFourDigits(isDay && endOfDay ? at - 1 : at);
}

/** February 30 becomes March 2 without a word. */
function isReal(date: Date, [year, month, day, hour, minute, second]: readonly number[]): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() + 1 === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  );
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [, sign, hours, minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/**
 * The moment at which clocks in the zone show `local`, given as if it were UTC; of two such moments the first. A time
 * that clocks skip is counted on from before they do: a day without midnight begins with its first moment.
 */
function inZone(local: number, zone: string): number {
  const [before, after] = [local - dayMs, local + dayMs].map((near) => local - zoneOffsetMs(near, zone)) as [
    number,
    number,
  ];
  return [before, after].sort((a, b) => a - b).find((at) => at + zoneOffsetMs(at, zone) === local) ?? before;
}

const defaultTimezone = "America/La_Paz";

/** The zone that a business names (its feature flag `timezone`), or the default where it names none that exists. */
export function timezoneOf(named: unknown): string {
  // An offset is read with another sign by the database.
  if (typeof named !== "string" || !/^[A-Za-z]/.test(named)) return defaultTimezone;
  try {
    const { timeZone } = formatOf(named).resolvedOptions();
    // Of some names JavaScript makes older ones that not every database knows; letters alone mean others there.
    return named.includes("/") ? named : timeZone;
  } catch {
    return defaultTimezone;
  }
}

/** The day that calendars in the zone show at a moment, `2026-03-01`. */
export function dayOf(at: Date, zone: string): string {
  return new Date(at.getTime() + zoneOffsetMs(at.getTime(), zone)).toISOString().slice(0, 10);
}

/** How far the clocks of the zone are ahead of UTC at a moment. */
function zoneOffsetMs(at: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return utcOf(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}

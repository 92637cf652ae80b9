const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Whether an ISO 8601 text says by itself which zone it is in. */
export const namesZone = (text: string): boolean => written.exec(text.trim())?.[8] !== undefined;

const defaultTimezone = "America/La_Paz";

/** The IANA zone that a business names, or the default where it names none or none that exists. */
export function timezoneOf(named: string | null): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: named ?? defaultTimezone }).resolvedOptions().timeZone;
  } catch {
    return defaultTimezone;
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The moment that an ISO 8601 text means; a text without a zone is in `zone` (an IANA name), and one without a time
 * means the beginning of that day there, or its end with `endOfDay`. Null where there is no such date or time.
 */
export function instantOf(text: string, zone: string, endOfDay = false): Date | null {
  const match = written.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour, minute = "0", second = "0", fraction = "0", offset] = match;
  const isDay = hour === undefined;
  const fields = [year, month, day, hour ?? 0, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const local = Date.UTC(fields[0], fields[1] - 1, fields[2], fields[3], fields[4], fields[5], milliseconds);
  if (!isReal(new Date(local), fields)) return null;
  if (offset !== undefined) return new Date(local - offsetMs(offset));
  const meant = isDay && endOfDay ? local + dayMs : local;
  const at = inZone(meant, zone);
  return new Date(isDay && endOfDay ? at - 1 : at);
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
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The moment at which clocks in the zone show `local`, given as if it were UTC; of two such moments the first. */
function inZone(local: number, zone: string): number {
  const guess = local - zoneOffsetMs(local, zone);
  return local - zoneOffsetMs(guess, zone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of the zone are ahead of UTC at a moment. */
function zoneOffsetMs(at: number, zone: string): number {
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
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

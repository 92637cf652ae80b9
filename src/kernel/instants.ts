import { Temporal } from "temporal-polyfill";

const isoText =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?)(Z|[+-](?:0\d|1[0-3])(?::?[0-5]\d)?|[+-]14(?::?00)?)?)?$/i;

/** Whether an ISO 8601 text says by itself which zone it is in. */
export const namesZone = (text: string): boolean => isoText.exec(text.trim())?.[3] !== undefined;

export const dayMs = 24 * 60 * 60 * 1000;
/** Databases and clients read the year in four digits. */
const earliest = Date.parse("0001-01-01T00:00:00.000Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * The moment that an ISO 8601 text means; a text without a zone is in `zone` (an IANA name), and one without a time
 * means the first moment of that day there, or its last one with `endOfDay`. Of two moments at which clocks show the
 * same time it is the first; a time that clocks skip is counted on from before they do. Null where there is no such date
 * or time. The last moment of the year 9999 in UTC stands for all after it, and the first of the year 1 for all before.
 */
export function instantOf(text: string, zone: string, endOfDay = false): Date | null {
  const [, day = "", time, offset] = isoText.exec(text.trim()) ?? [];
  const date = dateOf(day);
  if (date === null) return null;
  const at = time === undefined ? dayIn(date, zone, endOfDay) : timeIn(date, time, offset?.toUpperCase(), zone);
  return at === null ? null : new Date(Math.min(latest, Math.max(earliest, at)));
}

function dateOf(day: string): Temporal.PlainDate | null {
  try {
    return day.startsWith("0000") ? null : Temporal.PlainDate.from(day);
  } catch {
    return null;
  }
}

const dayIn = (date: Temporal.PlainDate, zone: string, endOfDay: boolean): number =>
  endOfDay
    ? date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1
    : date.toZonedDateTime(zone).epochMilliseconds;

function timeIn(date: Temporal.PlainDate, time: string, offset: string | undefined, zone: string): number | null {
  const isMidnightAfter = /^24:00(:00([.,]0+)?)?$/.test(time);
  if (time >= "24" && !isMidnightAfter) return null;
  const local = isMidnightAfter ? date.add({ days: 1 }).toPlainDateTime() : date.toPlainDateTime(time);
  return offset === undefined
    ? local.toZonedDateTime(zone).epochMilliseconds
    : Temporal.Instant.from(`${local}${offset}`).epochMilliseconds;
}

const defaultTimezone = "America/La_Paz";

const zones = new Map<string, string>();

/** The zone that a business names (its feature flag `timezone`), or the default where it names none that exists. */
export function timezoneOf(named: unknown): string {
  // An offset is read with another sign by the database.
  if (typeof named !== "string" || !/^[A-Za-z]/.test(named)) return defaultTimezone;
  const known = zones.get(named);
  if (known !== undefined) return known;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: named }).resolvedOptions();
    // Of some names JavaScript makes older ones that not every database knows; letters alone mean others there.
    const zone = named.includes("/") ? named : timeZone;
    zones.set(named, zone);
    return zone;
  } catch {
    return defaultTimezone;
  }
}

/** The day that calendars in the zone show at a moment, `2026-03-01`. */
export const dayOf = (at: Date, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();

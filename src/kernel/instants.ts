import { Temporal } from "temporal-polyfill";

const isoText =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?)(Z|[+-](?:0\d|1[0-3])(?::?[0-5]\d)?|[+-]14(?::?00)?)?)?$/i;

/** Whether an ISO 8601 text has a zone or offset. */
export const namesZone = (text: string): boolean => isoText.exec(text.trim())?.[3] !== undefined;

export const minuteMs = 60 * 1000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
/** Databases and clients expect a year of four digits. */
const earliest = Date.parse("0001-01-01T00:00:00.000Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * The instant of an ISO 8601 text, or null if it is invalid. A text without an offset is in `zone` (an IANA name).
 * A date without a time means the start of the day, or with `endOfDay` its last millisecond. When clocks change, a time
 * that occurs twice means its first occurrence, and a skipped time is moved forward. Years are limited to 1 to 9999.
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

/** The zone of the feature flag `timezone`, or the default if no such zone exists. */
export function timezoneOf(named: unknown): string {
  // Offsets are not accepted, because PostgreSQL reads their sign the other way round.
  if (typeof named !== "string" || !/^[A-Za-z]/.test(named)) return defaultTimezone;
  const known = zones.get(named);
  if (known !== undefined) return known;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: named }).resolvedOptions();
    // A name with a slash is kept, because Intl turns some of these names into old ones that some databases lack.
    // An abbreviation is replaced by the name from Intl, because PostgreSQL reads some abbreviations differently.
    const zone = named.includes("/") ? named : timeZone;
    zones.set(named, zone);
    return zone;
  } catch {
    return defaultTimezone;
  }
}

/** The date in the zone, `2026-03-01`. */
export const dayOf = (at: Date, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();

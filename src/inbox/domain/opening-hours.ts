const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
type Weekday = (typeof weekdays)[number];

/**
 * When a department is open, by day, as `["HH:MM", "HH:MM"]` on the clock of the business. A day that is not named
 * is closed. The end is not included; one at or before its beginning lies on the next day. `24:00` ends a day.
 */
export type OpeningHours = { readonly [Day in Weekday]?: readonly (readonly [from: string, to: string])[] };

/**
 * What counts is what the clock on the wall shows: an hour that summer time skips never comes, one that it repeats
 * is open both times. Without hours a department is always open.
 */
export function isOpen(hours: OpeningHours | null, at: Date, timezone: string): boolean {
  if (hours === null) return true;
  const { day, minute } = wallClock(at, timezone);
  const yesterday = (day + weekdays.length - 1) % weekdays.length;
  const opensToday = spans(hours, day).some(({ from, to }) => minute >= from && (to <= from || minute < to));
  return opensToday || spans(hours, yesterday).some(({ from, to }) => to <= from && minute < to);
}

const spans = (hours: OpeningHours, day: number) =>
  (hours[weekdays[day] ?? "sun"] ?? []).map(([from, to]) => ({ from: minutesOf(from), to: minutesOf(to) }));

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/** The day of the week, from Sunday as 0, and the minute of the day. */
function wallClock(at: Date, timezone: string): { readonly day: number; readonly minute: number } {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  const day = (weekdays as readonly string[]).indexOf(part("weekday").toLowerCase());
  return { day, minute: Number(part("hour")) * 60 + Number(part("minute")) };
}

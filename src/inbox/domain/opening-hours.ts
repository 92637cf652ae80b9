import { timezoneOf } from "../../kernel/instants.ts";

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
type Weekday = (typeof weekdays)[number];

/**
 * Opening hours by weekday, as `["HH:MM", "HH:MM"]` in the business's time zone. A missing day is closed. The end is
 * exclusive; an end at or before the start lies on the next day. `24:00` ends a day.
 */
export type OpeningHours = { readonly [Day in Weekday]?: readonly (readonly [from: string, to: string])[] };

/**
 * Compares wall-clock times. When summer time begins, opening hours in the skipped hour are lost. When it ends, opening
 * hours in the repeated hour apply twice. If `hours` is null, the business is always open.
 */
export function isOpen(hours: OpeningHours | null, at: Date, timezone: string): boolean {
  if (hours === null) return true;
  const { day, minute } = wallClock(at, timezone);
  const yesterday = (day + weekdays.length - 1) % weekdays.length;
  const opensToday = spans(hours, day).some(({ from, to }) => minute >= from && (to <= from || minute < to));
  return opensToday || spans(hours, yesterday).some(({ from, to }) => to <= from && minute < to);
}

/** `timezone` is the raw setting of the business. */
export const isOpenAt = (
  { openingHours, timezone }: { readonly openingHours: OpeningHours | null; readonly timezone: string | null },
  at: Date,
): boolean => isOpen(openingHours, at, timezoneOf(timezone));

const spans = (hours: OpeningHours, day: number) =>
  (hours[weekdays[day] ?? "sun"] ?? []).map(([from, to]) => ({ from: minutesOf(from), to: minutesOf(to) }));

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/** `day` counts from Sunday as 0; `minute` counts from midnight. */
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

import { dayIn, shifted } from "../shared/time.ts";

export const presets = ["today", "yesterday", "week", "days30", "month", "last-month"] as const;
export type Preset = (typeof presets)[number];

/** Days in the business's time zone, both included, as `2026-11-21`. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;

export function daysOf(preset: Preset, timeZone: string): Days {
  const today = dayIn(timeZone);
  const lastOfBefore = shifted(monthOf(today), -1);
  return {
    today: { from: today, to: today },
    yesterday: { from: shifted(today, -1), to: shifted(today, -1) },
    week: { from: shifted(today, -6), to: today },
    days30: { from: shifted(today, -29), to: today },
    month: { from: monthOf(today), to: today },
    "last-month": { from: monthOf(lastOfBefore), to: lastOfBefore },
  }[preset];
}

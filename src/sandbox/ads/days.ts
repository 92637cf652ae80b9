import { fieldsIn } from "../core/input.ts";
import { badParameter } from "../graph/graph.ts";

/** Days of an account's calendar, both included; texts such as `2026-11-21` compare as days do. */
export interface Days {
  readonly since: string;
  readonly until: string;
}

const dayMs = 24 * 60 * 60 * 1_000;

export const dayIn = (timezone: string, at: number): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    at,
  );

const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** The days of a preset, as of `today`; the last n days do not include today. */
export function presetDays(preset: string, today: string): Days {
  const yesterday = shifted(today, -1);
  const days = new Map([
    ["today", { since: today, until: today }],
    ["yesterday", { since: yesterday, until: yesterday }],
    ["last_7d", { since: shifted(today, -7), until: yesterday }],
    ["last_30d", { since: shifted(today, -30), until: yesterday }],
    ["this_month", { since: `${today.slice(0, 8)}01`, until: today }],
    ["maximum", { since: shifted(today, -37 * 30), until: today }],
  ]).get(preset);
  if (days) return days;
  throw badParameter("date_preset must be one of the following values: today, yesterday, this_month, maximum, ...");
}

export function rangeDays(json: string): Days {
  const { since, until } = fieldsIn(json) ?? {};
  if (isDay(since) && isDay(until) && since <= until) return { since, until };
  throw badParameter("Param time_range must be an array of since and until");
}

const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

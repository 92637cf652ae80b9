/** How moments are written: in the user's language, by the business's clock. */
export class Clock {
  readonly #time: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #shortDay: Intl.DateTimeFormat;
  readonly #moment: Intl.DateTimeFormat;
  readonly #dayKey: Intl.DateTimeFormat;
  readonly #relative: Intl.RelativeTimeFormat;

  constructor(language: string, timeZone: string) {
    this.#time = new Intl.DateTimeFormat(language, { timeZone, hour: "2-digit", minute: "2-digit" });
    this.#day = new Intl.DateTimeFormat(language, { timeZone, weekday: "long", day: "numeric", month: "long" });
    this.#shortDay = new Intl.DateTimeFormat(language, { timeZone, day: "2-digit", month: "2-digit", year: "2-digit" });
    this.#moment = new Intl.DateTimeFormat(language, {
      timeZone,
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    });
    this.#dayKey = new Intl.DateTimeFormat("en-CA", { timeZone });
    this.#relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  }

  time = (at: string): string => this.#time.format(new Date(at));

  /** For moments to come, and for paper: it means the same on every day that it is read. */
  moment = (at: string): string => this.#moment.format(new Date(at));

  /** The same for all moments of one day. */
  dayKey = (at: string | Date): string => this.#dayKey.format(new Date(at));

  day(at: string): string {
    const ago = this.#daysAgo(at);
    return capitalized(ago < 2 ? this.#relative.format(-ago, "day") : this.#day.format(new Date(at)));
  }

  /** As short as a list needs it. */
  brief(at: string): string {
    const ago = this.#daysAgo(at);
    if (ago === 0) return this.time(at);
    return ago === 1 ? this.#relative.format(-1, "day") : this.#shortDay.format(new Date(at));
  }

  #daysAgo(at: string): number {
    const days = (Date.parse(this.dayKey(new Date())) - Date.parse(this.dayKey(at))) / dayMs;
    return Math.max(0, Math.round(days));
  }
}

const dayMs = 86_400_000;

const capitalized = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** `23:59`, hours and minutes that are left; null when there are none. */
export function timeLeft(until: string, now: number): string | null {
  const minutes = Math.floor((Date.parse(until) - now) / 60_000);
  if (minutes < 0) return null;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** How a moment is written by the clock of a place, as inputs of the browser take it: `2026-01-31T09:30`. */
export function wallTime(at: string | number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return format.format(new Date(at)).replace(" ", "T");
}

/** The moment of a time that was written by the clock of a place. */
export function momentOf(wall: string, timeZone: string): string {
  const wanted = Date.parse(`${wall}Z`);
  const shownAt = (moment: number): number => Date.parse(`${wallTime(moment, timeZone)}Z`);
  // The second look counts where the clock is changed that day.
  const guess = wanted - (shownAt(wanted) - wanted);
  return new Date(guess - (shownAt(guess) - wanted)).toISOString();
}

/** The day (`2026-01-31`) that is some days later, or earlier where the number is negative. */
export const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** When a day, or one some days later, begins by the clock of a place. */
export const startOfDay = (day: string, timeZone: string, later = 0): string =>
  momentOf(`${shifted(day, later)}T00:00`, timeZone);

/** The day that it is there now, or was some days ago: `2026-01-31`. */
export function dayIn(timeZone: string, daysAgo = 0): string {
  return wallTime(Date.now() - daysAgo * dayMs, timeZone).slice(0, 10);
}

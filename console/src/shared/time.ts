/** Formats instants in the user's language and the business's time zone. */
export class Clock {
  readonly #time: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #shortDay: Intl.DateTimeFormat;
  readonly #moment: Intl.DateTimeFormat;
  readonly #dayKey: Intl.DateTimeFormat;
  readonly #relative: Intl.RelativeTimeFormat;

  constructor(language: string, timeZone: string) {
    const time = { hour: hourOf(language), minute: "2-digit" } as const;
    this.#time = new Intl.DateTimeFormat(language, { timeZone, ...time });
    this.#day = new Intl.DateTimeFormat(language, { timeZone, weekday: "long", day: "numeric", month: "long" });
    this.#shortDay = new Intl.DateTimeFormat(language, { timeZone, day: "2-digit", month: "2-digit", year: "2-digit" });
    this.#moment = new Intl.DateTimeFormat(language, {
      timeZone,
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      ...time,
    });
    this.#dayKey = new Intl.DateTimeFormat("en-CA", { timeZone });
    this.#relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  }

  time = (at: string): string => this.#time.format(new Date(at));

  /** The time with the full date. */
  moment = (at: string): string => this.#moment.format(new Date(at));

  /** A key that is equal for all instants of a day. */
  dayKey = (at: string | Date): string => this.#dayKey.format(new Date(at));

  day(at: string): string {
    const ago = this.#daysAgo(at);
    return capitalized(ago < 2 ? this.#relative.format(-ago, "day") : this.#day.format(new Date(at)));
  }

  /** A short form for lists: the time if it was today, “yesterday”, or the date. The current year is left out. */
  brief(at: string): string {
    const ago = this.#daysAgo(at);
    if (ago === 0) return this.time(at);
    if (ago === 1) return this.#relative.format(-1, "day");
    const isThisYear = this.dayKey(at).slice(0, 4) === this.dayKey(new Date()).slice(0, 4);
    const day = this.#shortDay.format(new Date(at));
    // Cuts off the year: all languages here write it last. A format without it would write some days with one digit.
    return isThisYear ? day.replace(/\D\d+$/, "") : day;
  }

  #daysAgo(at: string): number {
    const days = (Date.parse(this.dayKey(new Date())) - Date.parse(this.dayKey(at))) / dayMs;
    return Math.max(0, Math.round(days));
  }
}

/** Two digits in languages with a 24-hour clock. English writes 9:05 AM. */
export const hourOf = (language: string): "numeric" | "2-digit" => (language === "en" ? "numeric" : "2-digit");

const dayMs = 86_400_000;

const capitalized = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** The remaining time in hours and minutes, as `23:59`; null after `until`. */
export function timeLeft(until: string, now: number): string | null {
  const minutes = Math.floor((Date.parse(until) - now) / 60_000);
  if (minutes < 0) return null;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** An instant in a time zone as the value of a browser's input: `2026-01-31T09:30`. */
export function wallTime(at: string | number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return format.format(new Date(at)).replace(" ", "T");
}

/**
 * The instant of a local time in a time zone. As in the service, a time that occurs twice means the first one, and a
 * time that clocks skip is moved forward.
 */
export function momentOf(wall: string, timeZone: string): string {
  const wanted = Date.parse(`${wall}Z`);
  const shownAt = (moment: number): number => Date.parse(`${wallTime(moment, timeZone)}Z`);
  // The clocks may change near this time. So the offset of the day before is tried first, and then the offset of the
  // day after.
  const moments = [wanted - dayMs, wanted + dayMs].map((near) => wanted - (shownAt(near) - near));
  const [first = wanted] = moments;
  return new Date(moments.find((moment) => shownAt(moment) === wanted) ?? first).toISOString();
}

/** The day (`2026-01-31`) that is a number of days later, or earlier if the number is negative. */
export const shifted = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** The first instant of the day that is `later` days after `day`. */
export const startOfDay = (day: string, timeZone: string, later = 0): string =>
  momentOf(`${shifted(day, later)}T00:00`, timeZone);

/** Today in a time zone, or the day `daysAgo` days before: `2026-01-31`. */
export function dayIn(timeZone: string, daysAgo = 0): string {
  return shifted(wallTime(Date.now(), timeZone).slice(0, 10), -daysAgo);
}

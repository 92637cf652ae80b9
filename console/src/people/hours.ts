export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof days)[number];

/** Start and end in the business's time zone. An end at or before the start is on the next day. */
export type Span = readonly [from: string, to: string];
/** The service's format: null means always open, and a missing day is closed. */
export type Hours = Partial<Record<Day, string[][]>> | null;
export type Week = Readonly<Record<Day, readonly Span[]>>;

export const slotMinutes = 30;
export const slotsOfDay = (24 * 60) / slotMinutes;
const endOfDay = 24 * 60;

export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

export const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

const each = <Value>(value: (day: Day) => Value) =>
  Object.fromEntries(days.map((day) => [day, value(day)])) as Record<Day, Value>;

export const weekOf = (hours: Hours): Week => each((day) => (hours?.[day] ?? []) as unknown as readonly Span[]);

export const hoursOf = (week: Week): NonNullable<Hours> =>
  Object.fromEntries(
    days.filter((day) => week[day].length > 0).map((day) => [day, week[day].map(([from, to]) => [from, to])]),
  );

type Range = readonly [from: number, to: number];

const dayBefore = (day: Day): Day => days.at(days.indexOf(day) - 1) as Day;

/** The open minutes of each day. A span's minutes after midnight belong to the next day. */
export const openMinutes = (week: Week): Readonly<Record<Day, readonly Range[]>> =>
  each((day) => joined(openOn(week, day)));

/** The parts after midnight of the previous day's spans, and the day's own spans until midnight. They may overlap. */
function openOn(week: Week, day: Day): Range[] {
  const own = week[day].map(([from, to]): Range => {
    const [begin, end] = [minutesOf(from), minutesOf(to)];
    return [begin, end > begin ? end : endOfDay];
  });
  const rests = week[dayBefore(day)].flatMap(([from, to]): Range[] =>
    minutesOf(to) <= minutesOf(from) && minutesOf(to) > 0 ? [[0, minutesOf(to)]] : [],
  );
  return [...rests, ...own];
}

/** Returns the ranges sorted, with overlapping and adjacent ranges merged. */
function joined(ranges: readonly Range[]): Range[] {
  const all: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = all.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

const without = (ranges: readonly Range[], [from, to]: Range): Range[] =>
  ranges.flatMap(([begin, end]) =>
    (
      [
        [begin, Math.min(end, from)],
        [Math.max(begin, to), end],
      ] as Range[]
    ).filter(([one, other]) => one < other),
  );

type Slot = "open" | "partly" | "closed";

export function slotOf(ranges: readonly Range[], slot: number): Slot {
  const [from, to] = [slot * slotMinutes, (slot + 1) * slotMinutes];
  if (ranges.some(([begin, end]) => begin <= from && end >= to)) return "open";
  return ranges.some(([begin, end]) => begin < to && end > from) ? "partly" : "closed";
}

/** Opens or closes half hours of a day. In the result, each span past midnight is split into one span per day. */
export function painted(week: Week, day: Day, [first, last]: Range, isOpen: boolean): Week {
  const open = openMinutes(week);
  const range: Range = [Math.min(first, last) * slotMinutes, (Math.max(first, last) + 1) * slotMinutes];
  const changed = isOpen ? joined([...open[day], range]) : without(open[day], range);
  return each((one) => (one === day ? changed : open[one]).map(([from, to]): Span => [timeOf(from), timeOf(to)]));
}

/**
 * The first day on which spans overlap, including spans that began on the day before. The service refuses overlapping
 * spans.
 */
export function overlapping(week: Week): Day | undefined {
  const open = openMinutes(week);
  const minutesIn = (ranges: readonly Range[]): number => ranges.reduce((sum, [from, to]) => sum + to - from, 0);
  return days.find((day) => minutesIn(open[day]) < minutesIn(openOn(week, day)));
}

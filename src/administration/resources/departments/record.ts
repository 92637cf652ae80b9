type Span = readonly [from: string, to: string];

/** Local times by day: `{ "mon": [["09:00", "18:00"]] }`. A range with `to <= from` ends on the next day. */
export type OpeningHours = Readonly<Record<string, readonly Span[]>>;

export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A range that starts at 24:00, or two ranges that overlap. If `dayBefore` is set, `span` is a range of that day. */
export type HoursViolation =
  | { readonly rule: "late"; readonly day: string; readonly span: Span }
  | {
      readonly rule: "overlap";
      readonly day: string;
      readonly span: Span;
      readonly other: Span;
      readonly dayBefore?: string;
    };

const endOfDay = "24:00";
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** In minutes from the beginning of the day on which the range begins. */
function endOf(span: Span): number {
  const [from, to] = span.map(minutesOf) as [number, number];
  return to <= from ? to + minutesOf(endOfDay) : to;
}

export function hoursViolationOf(hours: OpeningHours): HoursViolation | undefined {
  for (const [day, spans] of Object.entries(hours)) {
    const late = spans.find(([from]) => from === endOfDay);
    if (late) return { rule: "late", day, span: late };
    const inOrder = spans.toSorted(([one], [other]) => minutesOf(one) - minutesOf(other));
    let last: { readonly span: Span; readonly end: number } | undefined;
    for (const span of inOrder) {
      if (last && minutesOf(span[0]) < last.end) return { rule: "overlap", day, span: last.span, other: span };
      last = { span, end: endOf(span) };
    }
  }
  for (const [at, day] of days.entries()) {
    const dayBefore = days.at(at - 1) as string;
    for (const span of hours[dayBefore] ?? []) {
      const rest = endOf(span) - minutesOf(endOfDay);
      const other = hours[day]?.find(([from]) => minutesOf(from) < rest);
      if (other) return { rule: "overlap", day, span, other, dayBefore };
    }
  }
  return undefined;
}

export interface Department {
  readonly name: string;
  /** Null means always open. */
  readonly openingHours: OpeningHours | null;
  readonly outOfHoursMessage: string | null;
  readonly agentIds: readonly number[];
}

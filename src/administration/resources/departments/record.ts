type Span = readonly [from: string, to: string];

/**
 * Ranges of local time by the day of the week: `{ "mon": [["09:00", "18:00"]] }`. An end at or before its beginning lies on
 * the next day.
 */
export type OpeningHours = Readonly<Record<string, readonly Span[]>>;

/** What makes no sense in opening hours, and where. */
export type HoursViolation =
  | { readonly rule: "late"; readonly day: string; readonly span: Span }
  | { readonly rule: "overlap"; readonly day: string; readonly span: Span; readonly other: Span };

const endOfDay = "24:00";
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The first that makes no sense; undefined where all do. */
export function hoursViolationOf(hours: OpeningHours): HoursViolation | undefined {
  for (const [day, spans] of Object.entries(hours)) {
    const late = spans.find(([from]) => from === endOfDay);
    if (late) return { rule: "late", day, span: late };
    const inOrder = spans.toSorted(([one], [other]) => minutesOf(one) - minutesOf(other));
    let last: { readonly span: Span; readonly end: number } | undefined;
    for (const span of inOrder) {
      const [from, to] = span.map(minutesOf) as [number, number];
      if (last && from < last.end) return { rule: "overlap", day, span: last.span, other: span };
      last = { span, end: to <= from ? to + minutesOf(endOfDay) : to };
    }
  }
  return undefined;
}

export interface Department {
  readonly name: string;
  /** Open at all times where there are none. */
  readonly openingHours: OpeningHours | null;
  readonly outOfHoursMessage: string | null;
  readonly agentIds: readonly number[];
}

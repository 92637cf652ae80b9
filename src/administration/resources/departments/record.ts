/** Ranges of local time by the day of the week: `{ "mon": [["09:00", "18:00"]] }`. */
export type OpeningHours = Readonly<Record<string, readonly (readonly [from: string, to: string])[]>>;

export interface Department {
  readonly name: string;
  /** Open at all times where there are none. */
  readonly openingHours: OpeningHours | null;
  readonly outOfHoursMessage: string | null;
  readonly agentIds: readonly number[];
}

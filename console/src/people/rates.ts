/** The service's format: one object of rates for all days, or a list of such objects, each with its first day. */
export type Conversion = Record<string, number | string> | ({ from: string } & Record<string, number | string>)[];

export interface Rate {
  readonly code: string;
  readonly value: string;
}
export interface RateGroup {
  /** The first day; empty for all days. */
  readonly from: string;
  readonly rates: readonly Rate[];
}

const ratesOf = (rates: Record<string, number | string>): Rate[] =>
  Object.entries(rates)
    .filter(([code]) => code !== "from")
    .map(([code, value]) => ({ code, value: String(value) }));

export function groupsOf(conversion: Conversion | null): RateGroup[] {
  if (conversion === null) return [];
  if (!Array.isArray(conversion)) return [{ from: "", rates: ratesOf(conversion) }];
  return conversion.map((group) => ({ from: group.from, rates: ratesOf(group) }));
}

/** Values stay texts to keep all digits. Rates without a code or a value are left out. */
export function conversionOf(groups: readonly RateGroup[]): Conversion | null {
  const written = groups.map(({ from, rates }) => ({
    from,
    rates: Object.fromEntries(
      rates.filter(({ code, value }) => code !== "" && value !== "").map(({ code, value }) => [code, value]),
    ),
  }));
  const [first] = written;
  if (!first) return null;
  if (written.length === 1 && first.from === "") return first.rates;
  return written.map(({ from, rates }) => ({ ...rates, from })) as Conversion;
}

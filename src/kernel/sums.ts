/** Adds the numbers of several records, field by field. There must be at least one record. */
export function sumsOf<Counts extends { readonly [Field in keyof Counts]: number }>(
  records: readonly Counts[],
): Counts {
  const sums: Record<string, number> = {};
  for (const record of records) {
    for (const [field, count] of Object.entries<number>(record)) sums[field] = (sums[field] ?? 0) + count;
  }
  return sums as Counts;
}

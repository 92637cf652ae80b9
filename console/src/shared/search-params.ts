/** Readers for search parameters in the URL. Invalid values count as missing. */

/** Accepts only numbers and texts. The router also parses `true` and lists, which `Number` would convert. */
export const idParam = (value: unknown): number | undefined =>
  (typeof value === "number" || typeof value === "string") && Number.isSafeInteger(Number(value)) && Number(value) > 0
    ? Number(value)
    : undefined;

/** Whether the value is a valid date such as `2026-01-31`, from 2000 to 2999. */
export function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !/^2[0-9]{3}-\d{2}-\d{2}$/.test(value)) return false;
  // JavaScript turns February 31 into a day in March.
  const read = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value);
}

export const dayParam = (value: unknown): string | undefined => (isDay(value) ? value : undefined);

/** Accepts numbers too, since the router parses a text of digits as a number. */
export const textParam = (value: unknown, mostCharacters = 100): string | undefined =>
  (typeof value === "string" || typeof value === "number") && String(value).trim() !== ""
    ? String(value).slice(0, mostCharacters)
    : undefined;

export const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((each) => each === value);

/** Leaves out undefined parameters. */
export const said = <Search extends object>(
  search: {
    readonly [Key in keyof Search]: Search[Key] | undefined;
  },
): Search => Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Search;

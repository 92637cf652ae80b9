/* Array literals of PostgreSQL for `unnest`. The driver takes several times as long, because it checks value types. */

export const plainArray = (values: readonly (number | boolean | null)[]): string =>
  // `join` would write an empty text for null.
  `{${values.includes(null) ? values.map((value) => value ?? "null").join() : values.join()}}`;

export const textArray = (values: readonly (string | null)[]): string => `{${values.map(quoted).join()}}`;

const special = /["\\]/;

const quoted = (text: string | null): string =>
  text === null ? "null" : `"${special.test(text) ? text.replaceAll(/["\\]/g, "\\$&") : text}"`;

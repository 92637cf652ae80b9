/**
 * Arrays as PostgreSQL writes them, for `unnest`: a column of a batch each. Several times as fast as the driver's own
 * conversion, which asks each value what it is.
 */

/** @param values - numbers or booleans; null for none */
export const plainArray = (values: readonly (number | boolean | null)[]): string =>
  // `join` writes null as nothing.
  `{${values.includes(null) ? values.map((value) => value ?? "null").join() : values.join()}}`;

export const textArray = (values: readonly (string | null)[]): string => `{${values.map(quoted).join()}}`;

const special = /["\\]/;

const quoted = (text: string | null): string =>
  text === null ? "null" : `"${special.test(text) ? text.replaceAll(/["\\]/g, "\\$&") : text}"`;

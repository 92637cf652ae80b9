import type { ParsedUrlQuery } from "node:querystring";

/**
 * The parameters of a query. A parameter that is given several times becomes an array. Koa's own function has the same
 * result, but its time grows with the square of the number of parameters: half a second of CPU for 15 kB of `a&a&a`.
 */
export function parametersOf(query: string): ParsedUrlQuery {
  // Without a prototype, `__proto__` is a name like others.
  const all: ParsedUrlQuery = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const before = all[name];
    if (before === undefined) all[name] = value;
    else if (typeof before === "string") all[name] = [before, value];
    else before.push(value);
  }
  return all;
}

import { appendFileSync } from "node:fs";
import pg from "pg";

/** Appends each distinct named statement of this process to a file, as lines of JSON. */
export function recordStatements(file: string): void {
  const seen = new Set<string>();
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  pg.Client.prototype.query = function recorded(this: pg.Client, ...given: unknown[]) {
    const { name, text } = Object(given[0]) as { name?: unknown; text?: unknown };
    const line = JSON.stringify({ name, text });
    if (typeof name === "string" && name !== "" && !seen.has(line)) {
      seen.add(line);
      appendFileSync(file, `${line}\n`);
    }
    return query.apply(this, given);
  } as typeof pg.Client.prototype.query;
}

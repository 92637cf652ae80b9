import knex, { type Knex } from "knex";
import type { Statement } from "./database.ts";

/** Only builds statements. They run in the business's cell or in a transaction. */
export const sql: Knex = knex({ client: "pg" });

export type Query = Knex.QueryBuilder;
export type Part = Knex.Raw;

export interface StatementCall {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Marks the position of a named value while Knex builds the text. */
class Placeholder {
  constructor(readonly name: string) {}
}

/**
 * Placeholders for named values of the given types. The inner select hides the value from the planner, so that
 * PostgreSQL keeps one generic plan. Planning each time would take as long as reading a page of a list.
 */
export const placeholders = <Types extends Readonly<Record<string, string>>>(types: Types) =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [
      name,
      sql.raw(`(select ?::${type})`, [new Placeholder(name) as never]),
    ]),
  ) as { readonly [Name in keyof Types]: Part };

interface Built {
  readonly statement: Statement;
  /** The names of the values `$1`, `$2` and so on. */
  readonly names: readonly string[];
}

const known = new Map<string, Built>();

/** @param shape - the filters in use. Each combination has its own text, which Knex builds once, and its own plan. */
export function dynamicCall(
  name: string,
  shape: readonly (string | false | null | undefined)[],
  values: Readonly<Record<string, unknown>>,
  build: () => { toSQL(): Pick<Knex.Sql, "toNative"> },
): StatementCall {
  const key = [name, ...shape.filter(Boolean)].join("_");
  const { statement, names } = known.get(key) ?? built(key, build());
  return { statement, values: names.map((each) => values[each]) };
}

function built(name: string, query: { toSQL(): Pick<Knex.Sql, "toNative"> }): Built {
  const { sql: text, bindings } = query.toSQL().toNative();
  const places = bindings.map((each) => (each instanceof Placeholder ? each.name : ""));
  if (places.includes("")) throw new Error(`a value of ${name} is not in its place`);
  const names = [...new Set(places)];
  // A value that is used several times is sent once.
  const numbered = text.replaceAll(/\$(\d+)/g, (_, at) => `$${names.indexOf(places[Number(at) - 1] ?? "") + 1}`);
  const made = { statement: { name, text: numbered }, names };
  known.set(name, made);
  return made;
}

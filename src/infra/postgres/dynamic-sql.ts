import knex, { type Knex } from "knex";
import type { Statement } from "./database.ts";

/** Builds statements only: stores send them through the business's own connection or transaction. */
export const sql: Knex = knex({ client: "pg" });

export type Query = Knex.QueryBuilder;
export type Part = Knex.Raw;

/** A statement with what goes into it. */
export interface StatementCall {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Stands in a query that is built for the value of that name. */
class Place {
  constructor(readonly name: string) {}
}

/**
 * Where values stand in a statement, by their names and types. The planner does not look into the inner select: it plans
 * the same for all values, so that PostgreSQL keeps the first plan. Planning takes as long as a page itself.
 */
export const placesOf = <Types extends Readonly<Record<string, string>>>(types: Types) =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, sql.raw(`(select ?::${type})`, [new Place(name) as never])]),
  ) as { readonly [Name in keyof Types]: Part };

interface Built {
  readonly statement: Statement;
  /** The names of the values, in the order of their numbers. */
  readonly names: readonly string[];
}

const known = new Map<string, Built>();

/** @param shape - which filters there are: for each combination Knex builds the text once, and its plan fits it */
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
  const places = bindings.map((each) => (each instanceof Place ? each.name : ""));
  if (places.includes("")) throw new Error(`a value of ${name} is not in its place`);
  const names = [...new Set(places)];
  // A value that stands in several places is sent once.
  const numbered = text.replaceAll(/\$(\d+)/g, (_, at) => `$${names.indexOf(places[Number(at) - 1] ?? "") + 1}`);
  const made = { statement: { name, text: numbered }, names };
  known.set(name, made);
  return made;
}

import knex, { type Knex } from "knex";
import type { Queries } from "../../../infra/postgres/database.ts";

/** Builds statements only: `run` sends them through the business's own connection or transaction. */
export const sql: Knex = knex({ client: "pg" });

export type Query = Knex.QueryBuilder;

/** Runs a statement without preparing it: statements of administration are rare and differ each time. */
export async function run<Row extends object>(
  queries: Queries,
  built: { toSQL(): Pick<Knex.Sql, "toNative"> },
): Promise<Row[]> {
  const { sql: text, bindings } = built.toSQL().toNative();
  return queries.rows<Row>({ name: "", text }, bindings);
}

/** Waits for other transactions of the business that took the same turn, and holds it until this one ends. */
export async function takeTurn(transaction: Queries, what: string, businessId: number): Promise<void> {
  await run(transaction, sql.raw("select pg_advisory_xact_lock(hashtextextended(?, ?))", [what, businessId]));
}

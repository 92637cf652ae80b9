import knex, { type Knex } from "knex";
import type { Queries } from "../../../infra/postgres/database.ts";

/** Writes statements and runs none: they go through the connections and transactions of the business. */
export const sql: Knex = knex({ client: "pg" });

/** A statement that is being written. */
export type Query = Knex.QueryBuilder;

/** Statements that administrators cause are rare and differ, so that none is kept prepared. */
export async function run<Row extends object>(
  queries: Queries,
  built: { toSQL(): Pick<Knex.Sql, "toNative"> },
): Promise<Row[]> {
  const { sql: text, bindings } = built.toSQL().toNative();
  return queries.rows<Row>({ name: "", text }, bindings);
}

/** Until the transaction ends it is the only one that does this in the business. */
export async function takeTurn(transaction: Queries, what: string, businessId: number): Promise<void> {
  await run(transaction, sql.raw("select pg_advisory_xact_lock(hashtextextended(?, ?))", [what, businessId]));
}

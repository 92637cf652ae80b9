import type { Knex } from "knex";
import type { Queries } from "../../../infra/postgres/database.ts";
import { sql } from "../../../infra/postgres/dynamic-sql.ts";

export { type Query, sql } from "../../../infra/postgres/dynamic-sql.ts";

/** Runs a statement without preparing it: statements of administration are rare and differ each time. */
export async function run<Row extends object>(
  queries: Queries,
  built: { toSQL(): Pick<Knex.Sql, "toNative"> },
): Promise<Row[]> {
  const { sql: text, bindings } = built.toSQL().toNative();
  return queries.rows<Row>({ name: "", text }, bindings);
}

/** Locks `name` for the business until the transaction ends. Waits while another transaction has the lock. */
export async function advisoryLock(transaction: Queries, name: string, businessId: number): Promise<void> {
  await run(transaction, sql.raw("select pg_advisory_xact_lock(hashtextextended(?, ?))", [name, businessId]));
}

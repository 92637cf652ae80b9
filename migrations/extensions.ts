import type { Knex } from "knex";

/** Both may be created by the owner of the database, and serve all schemas of it. */
const extensions = ["pg_trgm", "btree_gin"];

/**
 * Sees to the extensions and tells the name of the operators for parts of words. It names the schema of the extension:
 * where the tables are in a schema of their own, no other is looked through.
 */
export async function operatorsOfParts(db: Knex): Promise<string> {
  for (const name of extensions) await db.raw(`create extension if not exists ${name}`);
  const { rows } = await db.raw<{ rows: { schema: string }[] }>(`
    select quote_ident(nspname) as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`);
  return `${rows[0]?.schema}.gin_trgm_ops`;
}

/** Leaves those that are in another schema, where other cells use them. */
export async function dropExtensions(db: Knex): Promise<void> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    "select extname as name from pg_extension where extname = any(?) and extnamespace = current_schema()::regnamespace",
    [extensions],
  );
  for (const { name } of rows) await db.raw(`drop extension ${name}`);
}

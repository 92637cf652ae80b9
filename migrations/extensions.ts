import type { Knex } from "knex";

/** The owner of the database may create both. They serve all of its schemas. */
const extensions = ["pg_trgm", "btree_gin"];

/**
 * Creates the extensions. Returns the qualified name of the trigram operator class, since a cell's search path contains
 * only its own schema.
 */
export async function operatorsOfParts(db: Knex): Promise<string> {
  for (const name of extensions) await db.raw(`create extension if not exists ${name}`);
  const { rows } = await db.raw<{ rows: { schema: string }[] }>(`
    select quote_ident(nspname) as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`);
  return `${rows[0]?.schema}.gin_trgm_ops`;
}

/** Keeps extensions in other schemas, which other cells use. */
export async function dropExtensions(db: Knex): Promise<void> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    "select extname as name from pg_extension where extname = any(?) and extnamespace = current_schema()::regnamespace",
    [extensions],
  );
  for (const { name } of rows) await db.raw(`drop extension ${name}`);
}

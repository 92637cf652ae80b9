import type { Knex } from "knex";

/** The index is built concurrently. After a failure, the migration can run again. */
export const config = { transaction: false };

/** For the entries of one actor about one resource: without it all entries of either are read if few match both. */
export async function up(db: Knex): Promise<void> {
  // An interrupted build leaves an invalid index.
  await down(db);
  await db.raw(`
    create index concurrently audit_of_actor_and_resource
    on audit (business_id, actor_kind, actor_id, resource, at, id)`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop index concurrently if exists audit_of_actor_and_resource");
}

import type { Knex } from "knex";

/**
 * Each caller has its own keys. The first caller of a key has the row with the plain key; for other callers, the row's
 * key starts with the caller's name. So processes of the previous version, which may run during an update, find the
 * first row. Their own rows have no caller and match any caller.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table idempotency_keys add column caller text");
}

/** The previous version would read the keys with callers as different keys. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from idempotency_keys where key like '% %';
    alter table idempotency_keys drop column caller;
  `);
}

import type { Knex } from "knex";

/**
 * A key is its caller's alone. The first caller of a key has the row that bears it, others have rows whose `key` has
 * their names before it: so processes that know no callers, which an update still has running, find the first one's.
 * Rows of theirs have no caller and are anybody's.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table idempotency_keys add column caller text");
}

/** What bears a caller's name would be another key to processes that know none. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from idempotency_keys where key like '% %';
    alter table idempotency_keys drop column caller;
  `);
}

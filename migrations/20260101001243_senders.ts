import type { Knex } from "knex";

/** The business's name of a sender, and the platform's last report about it. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table senders add column name text, add column state text, add column quality text");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table senders drop column name, drop column state, drop column quality");
}

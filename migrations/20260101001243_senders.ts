import type { Knex } from "knex";

/** What a business calls a sender, and what the platform last said of it. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table senders add column name text, add column state text, add column quality text");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table senders drop column name, drop column state, drop column quality");
}

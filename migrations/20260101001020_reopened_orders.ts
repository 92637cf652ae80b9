import type { Knex } from "knex";

/** Since when an order is open again: who opens one gives its customer time before the bot cancels it for silence. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table orders add column reopened_at timestamptz");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table orders drop column reopened_at");
}

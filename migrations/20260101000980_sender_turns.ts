import type { Knex } from "knex";

/** Senders wait for a worker in turns. A sender that must pause does not occupy a worker. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table senders add column released_at timestamptz, add column rests_until timestamptz");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table senders drop column released_at, drop column rests_until");
}

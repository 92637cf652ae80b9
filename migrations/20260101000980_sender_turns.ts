import type { Knex } from "knex";

/** Numbers that wait for a worker are taken in turns; one that is to rest holds no worker's place meanwhile. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table senders add column released_at timestamptz, add column rests_until timestamptz");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table senders drop column released_at, drop column rests_until");
}

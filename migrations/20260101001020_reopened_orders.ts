import type { Knex } from "knex";

/** When an order was reopened, so that the customer gets time again before it is cancelled for inactivity. */
export async function up(db: Knex): Promise<void> {
  await db.raw("alter table orders add column reopened_at timestamptz");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("alter table orders drop column reopened_at");
}
